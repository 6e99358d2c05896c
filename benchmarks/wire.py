"""HTTP/1.1 as plain bytes: a client library would cost more than the server that is measured."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Mapping
from typing import Any, Self

_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
_NO_BODY = (b"204", b"304")


def request(
    method: str, path: str, *, bearer: str = "", body: Any = None, headers: Mapping[str, str] | None = None
) -> bytes:
    """The bytes of one request; `body` is sent as JSON."""
    content = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if bearer:
        lines.append(f"Authorization: Bearer {bearer}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join([*lines, "", ""]).encode() + content


def answer_length(received: bytes | bytearray) -> int:
    """How many bytes the answer at the start of `received` has; 0 while its head is not complete."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return 0
    length = _LENGTH.search(received, 0, end + 2)
    if length is None:
        if received[9:12] in _NO_BODY:
            return end + 4
        raise ValueError("an answer without a length can't be measured here")
    return end + 4 + int(length[1])


class Wire:
    """One connection that sends a request and waits for its answer."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._socket.close()

    def ask(self, sent: bytes) -> bytes:
        """The whole answer. Raises `ConnectionError` when the server closes before it is complete."""
        self._socket.sendall(sent)
        received = self._socket.recv(65536)
        while not (length := answer_length(received)) or len(received) < length:
            more = self._socket.recv(65536)
            if not more:
                raise ConnectionError("the server closed the connection")
            received += more
        return received

    def ask_ok(self, sent: bytes) -> bytes:
        """The body of an answer of the 2xx or 304. Raises `ValueError` with what another answer says."""
        answer = self.ask(sent)
        if answer[9:10] != b"2" and answer[9:12] != b"304":
            raise ValueError(answer.decode(errors="replace"))
        return answer.partition(b"\r\n\r\n")[2]
