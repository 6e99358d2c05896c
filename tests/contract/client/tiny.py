"""A server of a few lines over bare sockets, for everything that a proper server never does."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Behaviour = Callable[[socket.socket], None]


class TinyServer:
    """Runs `behaviour` for each connection in a thread. `broken` is set when a client hung up on one."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.requests: list[bytes] = []
        self.broken = threading.Event()
        self._behaviour = behaviour
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self.base_url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def accept_for_ever(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        # `shutdown` wakes the thread that accepts, `close` alone does not.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                while request := read_request(connection):
                    self.requests.append(request)
                    self._behaviour(connection)
            except OSError:
                self.broken.set()


def read_request(connection: socket.socket) -> bytes:
    """The head of one request and its body; empty when the client hung up."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(v) for n, v in _fields(head) if n == b"content-length"), 0)
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def answer(status: str, body: bytes = b"{}", headers: str = "") -> Behaviour:
    data = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body
    return lambda connection: connection.sendall(data)


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """One after the other, the last one for ever after."""
    left = list(behaviours)

    def behave(connection: socket.socket) -> None:
        now = left.pop(0) if len(left) > 1 else left[0]
        now(connection)

    return behave


def drip(first: bytes, then: bytes) -> Behaviour:
    """Sends `then` again and again, a hundred times a second, until the client hangs up."""
    clock = threading.Event()

    def behave(connection: socket.socket) -> None:
        connection.sendall(first)
        while not clock.wait(0.01):
            connection.sendall(then)

    return behave


def silence(connection: socket.socket) -> None:
    """Says nothing until the client hangs up."""
    if not connection.recv(1):
        raise ConnectionResetError


@contextmanager
def tiny_server(behaviour: Behaviour) -> Iterator[TinyServer]:
    server = TinyServer(behaviour)
    thread = threading.Thread(target=server.accept_for_ever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def _fields(head: bytes) -> Iterator[tuple[bytes, bytes]]:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        yield name.strip().lower(), value.strip()
