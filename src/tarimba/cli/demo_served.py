"""A whole server in this process, whose clock can be set: so a company gets a past. And a receiver of its events."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import click
import httpx
import uvicorn

from tarimba.app import build_app, open_kernel
from tarimba.clock import DAY
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tarimba.telemetry.logs import configure

_TAKEN: Final = 204
_BROKEN: Final = 500


@dataclass(frozen=True, slots=True)
class Served:
    """The kernel and requests to it. `bearers` are keys and tokens by the slug of who has them."""

    kernel: Kernel
    http: httpx.Client
    bearers: dict[str, str] = field(default_factory=dict)

    def go_to(self, days_ago: float) -> None:
        """Sets the clock back by so many days."""
        self.kernel.clock.offset_us = -int(days_ago * DAY)

    def call(self, who: str, method: str, path: str, *, expects: int | None = None, **request: Any) -> Any:
        """The JSON of a request that has to succeed, or to end with the status that is expected."""
        headers = {"authorization": f"Bearer {self.bearers[who]}"} | request.pop("headers", {})
        answer = self.http.request(method, path, headers=headers, **request)
        if answer.status_code != expects if expects is not None else not answer.is_success:
            said = answer.text[:300]
            raise click.ClickException(f"{method} {path} was answered with {answer.status_code}: {said}")
        return answer.json() if answer.headers.get("content-type", "").startswith("application/") else None


@contextmanager
def served(settings: Mapping[str, Any]) -> Iterator[Served]:
    """The application over the data of `settings`, on a socket of this process."""
    made = Settings.model_validate(settings)
    configure(made)
    with (
        open_kernel(made) as kernel,
        socket.create_server(("127.0.0.1", 0)) as listening,
    ):
        # Answers leave at once, instead of waiting for an acknowledgement.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        config = uvicorn.Config(build_app(kernel), log_config=None, access_log=False, lifespan="on")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            with httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
                yield Served(kernel, client)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def receiver() -> Iterator[str]:
    """The address of a receiver of events, below which one path is taken and one is not."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Receiver) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", "0")))
        self.send_response(_TAKEN if self.path == "/painel" else _BROKEN)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the class above
        """Says nothing: the demo's own lines are what is read."""
