"""`GET /metrics`: what a process counts, in the text form of Prometheus or of OpenMetrics.

It is on a port of its own, or for who has a token on the server's: what a company does is not for everybody.
"""

from __future__ import annotations

import hmac
from collections.abc import MutableMapping
from functools import partial
from typing import Any, Final

from prometheus_client import exposition, openmetrics
from prometheus_client.registry import CollectorRegistry
from pydantic import SecretStr

from tarimba.errors import Refusal
from tarimba.http import problems
from tarimba.http.body import Receive
from tarimba.http.reply import Reply, Send, send_whole
from tarimba.http.singly import Singly
from tarimba.identity.service import unauthenticated
from tarimba.ids import new_id

PATH: Final = "/metrics"
# A scrape is answered by then, also where the database is not there.
_SECONDS: Final = 5.0
_OPEN_METRICS: Final = b"application/openmetrics-text"
_METHODS: Final = ("GET", "HEAD")


class MetricsPage:
    """ASGI application for the path, for whoever has the token; for everybody where there is none."""

    def __init__(self, registry: CollectorRegistry, token: SecretStr | None) -> None:
        self._token = None if token is None else token.get_secret_value().encode()
        self._plain = Singly(partial(exposition.generate_latest, registry), "tarimba-metrics")
        self._open = Singly(partial(openmetrics.exposition.generate_latest, registry), "tarimba-metrics")

    async def __call__(self, scope: MutableMapping[str, Any], _receive: Receive, send: Send) -> None:
        try:
            reply = await self._answer(scope)
        except Refusal as refusal:
            reply = problems.reply(refusal, new_id())
        except Exception as error:  # noqa: BLE001 - the server would print what the error quotes
            request_id = new_id()
            reply = problems.reply(problems.failed(error, request_id, PATH), request_id)
        await send_whole(send, reply)

    async def _answer(self, scope: MutableMapping[str, Any]) -> Reply:
        if scope["method"] not in _METHODS:
            raise problems.wrong_method(_METHODS)
        headers = dict(scope["headers"])
        if self._token is not None:
            told = problems.read_bearer(headers.get(b"authorization")).encode("latin-1")
            if not hmac.compare_digest(told, self._token):
                raise unauthenticated()
        is_open = _OPEN_METRICS in headers.get(b"accept", b"")
        text = await (self._open if is_open else self._plain).answer(_SECONDS)
        if text is None:
            raise Refusal("unavailable", "The figures took too long. Try again.", retry_after=1)
        media = openmetrics.exposition.CONTENT_TYPE_LATEST if is_open else exposition.CONTENT_TYPE_PLAIN_0_0_4
        return Reply(200, [(b"content-type", media.encode()), (b"cache-control", b"no-store")], text)
