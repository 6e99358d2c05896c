"""Applications beside the routes, counted and traced as a whole: their own addresses stay theirs."""

from __future__ import annotations

import time
from collections.abc import Mapping, MutableMapping
from typing import Any, Final

from tarimba.http.body import Receive
from tarimba.http.reply import Send
from tarimba.telemetry import Telemetry

# The caller left before there was an answer.
_GONE: Final = 499


class Counted:
    """The application `app` under the name `route`."""

    def __init__(self, telemetry: Telemetry, app: Any, route: str) -> None:
        self._telemetry = telemetry
        self._app = app
        self._route = route

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        started, status = time.perf_counter(), _GONE

        async def watched(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        tracing = self._telemetry.tracing
        try:
            with tracing.request(traceparent(scope), http_route=self._route) as mark:
                await self._app(scope, receive, watched)
                mark.set("http.status", status)
        finally:
            seconds = time.perf_counter() - started
            self._telemetry.metrics.requests.add(scope["method"], self._route, status, seconds)


def traceparent(scope: Mapping[str, Any]) -> bytes | None:
    """The header by which a request says which trace it belongs to."""
    return next((value for name, value in scope["headers"] if name == b"traceparent"), None)
