"""A model's API on loopback that speaks the forms of several providers, and keeps what it was really sent.

It says `Done.`; asked to look something up, it first calls `search_agent_memory`, if that was offered.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.recipes.adapters import forms


@dataclass(frozen=True)
class Sent:
    """One request: its path, its body as sent, and the same read."""

    path: str
    raw: bytes = field(repr=False)
    body: dict[str, Any] = field(repr=False)


class Endpoint(ThreadingHTTPServer):
    """`sent` has the requests in order. `url` is the address without a path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.sent: list[Sent] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, bytes]:
        """The type and bytes of what the model says to a request."""
        return forms.of(path).answer(path, body)


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self._body()
        body = json.loads(raw or b"{}")
        with self.server.lock:
            self.server.sent.append(Sent(self.path, raw, body))
        kind, answer = self.server.answer(self.path, body)
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self) -> None:
        """Lists of models, which some clients ask for first."""
        answer = json.dumps({"object": "list", "data": [{"id": "gpt-5.6", "object": "model"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        pieces = bytearray()
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return bytes(pieces)

    def log_message(self, *_: object) -> None:
        """Nothing: what is asked is kept in `sent`."""


@contextmanager
def endpoint(kind: type[Endpoint] = Endpoint) -> Iterator[Endpoint]:
    """An endpoint that serves while the block runs."""
    with kind() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
