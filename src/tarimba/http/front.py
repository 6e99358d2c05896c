"""The front door: what must not pay for a framework's router goes to its endpoint at once, the rest to the app."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

from tarimba.http.body import Receive
from tarimba.http.reply import Send
from tarimba.http.route import Route
from tarimba.kernel import Kernel


class FrontDoor:
    """The whole server as one ASGI application: endpoints, applications of their own, and the app for all the rest.

    `own` are applications by their path; one whose path ends with `/*` also gets what is below it.
    """

    def __init__(self, kernel: Kernel, routes: Iterable[Route], app: Any, own: Mapping[str, Any]) -> None:
        self._direct = {
            (route.method, route.path): route.endpoint(kernel)
            for route in routes
            if route.endpoint is not None
        }
        self._threaded = [one for one in self._direct.values() if hasattr(one, "close")]
        self._app = app
        self._own = {path.removesuffix("*").removesuffix("/"): one for path, one in own.items()}
        self._beneath = tuple(path.removesuffix("*") for path in own if path.endswith("/*"))

    def open(self) -> None:
        """Opens the endpoints again after `close()`."""
        for endpoint in self._threaded:
            endpoint.open()

    def close(self) -> None:
        """Closes the endpoints that have threads of their own; applications close themselves."""
        for endpoint in self._threaded:
            endpoint.close()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        endpoint = self._direct.get((scope["method"], path))
        if endpoint is not None:
            await endpoint(scope, receive, send)
        else:
            await self._found(path)(scope, receive, send)

    def _found(self, path: str) -> Any:
        known = self._own.get(path.removesuffix("/"))
        if known is not None:
            return known
        for beneath in self._beneath:
            if path.startswith(beneath):
                return self._own[beneath.removesuffix("/")]
        return self._app
