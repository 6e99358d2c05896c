"""The address of the server alone: people who open it in a browser are sent to the Console."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Final

from tarimba.http.body import Receive
from tarimba.http.reply import Reply, Send, send_whole

_TO: Final = b"/console"


class Entrance:
    """`/` as an ASGI application; `app` answers whoever does not ask for a page."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        accepted = dict(scope["headers"]).get(b"accept", b"").lower()
        if scope["method"] not in {"GET", "HEAD"} or b"text/html" not in accepted:
            await self._app(scope, receive, send)
            return
        await send_whole(
            send, Reply(303, [(b"location", _TO), (b"vary", b"accept"), (b"cache-control", b"no-store")])
        )
