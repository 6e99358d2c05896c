"""The URLs of notes and erasure over the skin, without a socket."""

import asyncio
from typing import Any

import httpx

from tarimba.erasure.routes import ROUTES as ERASURE
from tarimba.http.skin import make_app
from tarimba.notes.routes import ROUTES as NOTES
from tests.contract.notes.world import World

ROOT = "/v1/agent-memory"


class Api:
    """Asks as somebody of the world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._app = make_app(world.kernel, (*NOTES, *ERASURE))

    def ask(
        self, method: str, path: str, who: str = "billing", *, key: str | None = None, **options: Any
    ) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.world.bearers[who]}", **options.pop("headers", {})}
        if key is not None:
            headers["Idempotency-Key"] = key
        return asyncio.run(self._ask(method, ROOT + path, headers, options))

    def create(self, who: str = "billing", *, key: str | None = None, **fields: Any) -> httpx.Response:
        note = {"kind": "procedure", "title": "Void invoices", "body": "Close the period first.", **fields}
        return self.ask("POST", "/notes", who, key=key, json=note)

    async def _ask(
        self, method: str, path: str, headers: dict[str, str], options: dict[str, Any]
    ) -> httpx.Response:
        transport = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(transport=transport, base_url="http://local") as client:
            return await client.request(method, path, headers=headers, **options)
