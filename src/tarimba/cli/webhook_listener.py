"""A receiver for development: one machine, one secret, nothing stored."""

from __future__ import annotations

import json
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import count as numbers

import click

from tarimba.webhooks.signing import NotGenuineError, verify

_BODY_MAX = 1024 * 1024
_PATIENCE_SECONDS = 10


def serve(secret: bytes, port: int, count: int | None) -> None:
    """Prints each event until it is interrupted, or `count` genuine ones were received."""
    server = _Server(("127.0.0.1", port), _Receiver)
    server.secret = secret
    with server:
        click.echo(f"Listening on http://127.0.0.1:{server.server_port}/")
        for _ in numbers():
            if count is not None and server.genuine >= count:
                return
            server.handle_request()


class _Server(HTTPServer):
    """`genuine` counts what was verified."""

    secret = b""
    genuine = 0


class _Receiver(BaseHTTPRequestHandler):
    timeout = _PATIENCE_SECONDS
    server: _Server

    def do_POST(self) -> None:
        size = self.headers.get("content-length", "")
        if not size.isdigit() or int(size) > _BODY_MAX:
            self._answer(413, "refused: no length, or too long")
            return
        body = self.rfile.read(int(size))
        given = {name.lower(): value for name, value in self.headers.items()}
        try:
            event_id = verify(self.server.secret, given, body, time.time())
        except NotGenuineError as error:
            self._answer(401, f"refused: {error}")
            return
        self.server.genuine += 1
        event = json.loads(body)
        told = " ".join(f"{name}={value}" for name, value in event["data"].items())
        self._answer(204, f"{event['type']} {event_id} {told}")

    def log_message(self, *_: object) -> None:
        """The line of the event is the log."""

    def _answer(self, status: int, line: str) -> None:
        # First the answer: a reader of the line may act on it.
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()
        click.echo(line)
