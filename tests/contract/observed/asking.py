"""Requests to the whole application over a kernel, without a socket."""

import asyncio
from typing import Any

import httpx

from tarimba.app import build_app
from tarimba.kernel import Kernel


class Asked:
    """One application; `get` and the others make one request each."""

    def __init__(self, kernel: Kernel, app: Any = None) -> None:
        self.app = app or build_app(kernel)

    def get(self, path: str, **request: Any) -> httpx.Response:
        return self.send("GET", path, **request)

    def send(self, method: str, path: str, **request: Any) -> httpx.Response:
        return asyncio.run(self._send(method, path, **request))

    async def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        transport = httpx.ASGITransport(app=self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://acme.test") as client:
            return await client.request(method, path, **request)


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}
