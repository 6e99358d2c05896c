"""Model servers of a few lines: they find the words that they are told are people."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.contract.client.tiny import Behaviour

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def answer_with(body: bytes, status: str = "200 OK", headers: str = "") -> Behaviour:
    told = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n{headers}"
    data = f"HTTP/1.1 {status}\r\n{told}\r\n".encode() + body
    return lambda connection: connection.sendall(data)


def hang_up(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_RDWR)


def read_slowly(first: bytes) -> Behaviour:
    """Sends the start of an answer and then nothing until the client hangs up."""

    def behave(connection: socket.socket) -> None:
        connection.sendall(first)
        if not connection.recv(1):
            raise ConnectionResetError

    return behave


@dataclass
class Model:
    """An application of ASGI that answers like Presidio; `behaviour` may be changed while it serves."""

    people: Sequence[str] = ()
    version: str | None = "1"
    is_well: bool = True
    asked: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        status, content = (200, self._answer(scope["path"], body)) if self.is_well else (500, b"{}")
        headers = [(b"content-type", b"application/json")]
        if self.version is not None:
            headers.append((b"tarimba-detectors-version", self.version.encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    def _answer(self, path: str, body: bytes) -> bytes:
        if path != "/analyze":
            return b"{}"
        asked = json.loads(body)
        with self.lock:
            self.asked.append(asked)
        found = [
            {"entity_type": "PERSON", "start": at, "end": at + len(name), "score": 0.85}
            for name in self.people
            if (at := asked["text"].find(name)) >= 0
        ]
        return json.dumps(found).encode()
