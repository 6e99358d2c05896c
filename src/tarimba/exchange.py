"""One request and its answer over HTTP, the whole of it within a deadline.

The timeouts of HTTP libraries are for each read: a server that sends a byte now and then outlasts them all. Here
every read and write of the socket gets what is left of the deadline, and so does looking up a name. It speaks to
the library's connection pool: no proxy of the environment, no redirect, no decoding, and no log of its own.
"""

from __future__ import annotations

import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import httpcore

from tarimba.telemetry.tracing import outgoing

BODY_MAX: Final = 1024 * 1024
_IDLE_SECONDS: Final = 30.0
_CONNECTIONS: Final = 64
_PIECE: Final = 16 * 1024
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
# The addresses of a host and port, within so many seconds.
LookUp = Callable[[str, int, float], Sequence[str]]


class NoAnswerError(Exception):
    """There is no whole answer. `reason` is a word for logs, `again` whether another try could help."""

    def __init__(self, reason: str, *, again: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers by their names in lower case, body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Deadline(threading.local):
    """When the call of the present thread has to be over."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.at = 0.0

    def left(self, error: type[Exception]) -> float:
        """Seconds that are left. Raises `error` when there are none: zero would mean "do not wait" to a socket."""
        left = self.at - self._clock()
        if left <= 0:
            raise error("the time is over")
        return left


class Exchange:
    """Connections to one server, kept open between calls, for any number of threads."""

    def __init__(self, base_url: str, clock: Callable[[], float]) -> None:
        self._base_url = base_url.rstrip("/")
        self._deadline = Deadline(clock)
        secure = base_url.lower().startswith("https:")
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl.create_default_context() if secure else None,
            max_connections=_CONNECTIONS,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=Backend(self._deadline),
        )

    def send(
        self, method: str, path: str, body: bytes, until: float, headers: Mapping[str, str] = _NO_HEADERS
    ) -> Reply:
        """The answer with status 200, or with any other one and no body. Raises NoAnswerError.

        `until` is on the clock of this object; `headers` are sent beside its own.
        """
        self._deadline.at = until
        try:
            return self._send(method, path, body, headers)
        except httpcore.TimeoutException:
            raise NoAnswerError("timeout") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError):
            # The library's errors may quote bytes of the answer, hence of the text: they end here.
            raise NoAnswerError("connection") from None

    def close(self) -> None:
        self._pool.close()

    def _send(self, method: str, path: str, body: bytes, more: Mapping[str, str]) -> Reply:
        headers = {
            "accept": "application/json",
            "accept-encoding": "identity",
            "user-agent": "tarimba",
            **outgoing(),
            **more,
        }
        if body:
            headers.setdefault("content-type", "application/json")
        waiting = {"pool": self._deadline.left(httpcore.PoolTimeout)}
        with self._pool.stream(
            method,
            self._base_url + path,
            headers=list(headers.items()),
            content=body,
            extensions={"timeout": waiting},
        ) as response:
            told = {
                name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers
            }
            return Reply(response.status, told, _read(response) if response.status == 200 else b"")


class Backend(httpcore.NetworkBackend):
    """Opens connections whose every wait is bounded by the deadline.

    A host is looked up once for a connection, by `look_up`, and connected to at what that gave: what it raises
    keeps the connection from being made. `inner` opens the connections.
    """

    def __init__(
        self,
        deadline: Deadline,
        look_up: LookUp | None = None,
        inner: httpcore.NetworkBackend | None = None,
    ) -> None:
        self._deadline = deadline
        self._look_up = look_up or looked_up
        self._inner = inner or httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline's place is taken by nobody
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        for address in self._look_up(host, port, self._deadline.left(httpcore.ConnectTimeout)):
            left = self._deadline.left(httpcore.ConnectTimeout)
            try:
                opened = self._inner.connect_tcp(address, port, left, local_address, socket_options)
            except httpcore.ConnectError:
                continue
            return _Stream(opened, self._deadline)
        raise httpcore.ConnectError("no address of the host takes connections")


class _Stream(httpcore.NetworkStream):
    """A connection whose every wait is bounded by the deadline of the thread that uses it."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the deadline's place
        return self._inner.read(max_bytes, self._deadline.left(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the deadline's place
        # In pieces: the library waits anew for each part that the socket takes.
        for at in range(0, len(buffer), _PIECE):
            self._inner.write(buffer[at : at + _PIECE], self._deadline.left(httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - the deadline's place
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _read(response: httpcore.Response) -> bytes:
    pieces = bytearray()
    for piece in response.iter_stream():
        pieces += piece
        if len(pieces) > BODY_MAX:
            raise NoAnswerError("too_long", again=False)
    return bytes(pieces)


def looked_up(host: str, port: int, seconds: float) -> list[str]:
    """The addresses of a host. The system's look-up knows no timeout, so a name is looked up in a thread."""
    found: queue.SimpleQueue[list[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            found.put(error)
        else:
            found.put(list(dict.fromkeys(str(info[4][0]) for info in infos)))

    if _is_address(host):
        return [host]
    threading.Thread(target=look_up, name="tarimba-look-up", daemon=True).start()
    try:
        outcome = found.get(timeout=seconds)
    except queue.Empty:
        raise httpcore.ConnectTimeout("the time is over") from None
    if not isinstance(outcome, list):
        raise httpcore.ConnectError("the name is not known")
    return outcome


def _is_address(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
        except OSError:
            continue
        return True
    return False
