"""The front door: what must not pay for a framework's router goes to its endpoint at once, the rest to the app."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any, Final

from tarimba.http.body import Receive
from tarimba.http.reply import Send
from tarimba.http.route import Route
from tarimba.kernel import Kernel

MCP_PATH: Final = "/mcp"


class FrontDoor:
    """The whole server as one ASGI application: endpoints, the MCP server, and the app for everything else."""

    def __init__(self, kernel: Kernel, routes: Iterable[Route], app: Any, mcp: Any) -> None:
        self._direct = {
            (route.method, route.path): route.endpoint(kernel)
            for route in routes
            if route.endpoint is not None
        }
        self._app = app
        self._mcp = mcp

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        endpoint = self._direct.get((scope["method"], path))
        if endpoint is not None:
            await endpoint(scope, receive, send)
        elif path in (MCP_PATH, MCP_PATH + "/"):
            await self._mcp(scope, receive, send)
        else:
            await self._app(scope, receive, send)
