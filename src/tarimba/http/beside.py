"""A port of its own for who watches the process: `/metrics`, `/readyz`, `/healthz`. Servers and workers have it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import uvicorn

from tarimba.http import problems
from tarimba.http.body import Receive
from tarimba.http.heads import Heads
from tarimba.http.metrics import PATH, MetricsPage
from tarimba.http.ready import Ready
from tarimba.http.reply import Reply, Send, send_whole
from tarimba.ids import new_id
from tarimba.kernel import Kernel

# Who watches comes a few times a minute; whoever holds connections open is not one of them.
_CONNECTIONS_MAX: Final = 16
_IDLE_SECONDS: Final = 5


class Watched:
    """ASGI application of that port."""

    def __init__(self, kernel: Kernel) -> None:
        metrics = MetricsPage(kernel.telemetry.metrics.registry, kernel.settings.metrics_token)
        self._pages: dict[str, Any] = {PATH: metrics, "/readyz": Ready(kernel), "/healthz": _healthy}

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        page = self._pages.get(scope["path"])
        if page is None:
            await send_whole(send, problems.reply(problems.unknown_path(), new_id()))
        else:
            await page(scope, receive, send)


@contextmanager
def watching(kernel: Kernel) -> Iterator[None]:
    """Serves it in a thread until the block ends, where the settings name a port.

    Raises `OSError`, naming the settings, when the port can't be had.
    """
    settings = kernel.settings
    if settings.metrics_port is None:
        yield
        return
    config = uvicorn.Config(
        Watched(kernel),
        http=Heads,
        lifespan="off",
        access_log=False,
        server_header=False,
        log_config=None,
        limit_concurrency=_CONNECTIONS_MAX,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=1,
    )
    with _bound(settings.metrics_host, settings.metrics_port) as listening:
        server = uvicorn.Server(config)
        run = partial(server.run, [listening])
        thread = threading.Thread(target=run, name="tarimba-watched", daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join()


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        named = "TARIMBA_METRICS_HOST, TARIMBA_METRICS_PORT"
        raise OSError(error.errno, error.strerror, named) from None


async def _healthy(_scope: MutableMapping[str, Any], _receive: Receive, send: Send) -> None:
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    await send_whole(send, Reply(200, headers, b'{"status":"ok"}'))
