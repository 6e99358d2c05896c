"""Whose word on the client's address is taken, and which word of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn

from tarimba.app import before
from tarimba.settings import Settings


@pytest.mark.promise("proxies-by-name")
@pytest.mark.parametrize(
    ("proxies", "peer", "said", "client"),
    [
        # Nobody is trusted unless named, not even this machine.
        ("", "127.0.0.1", "192.0.2.1", "127.0.0.1"),
        ("10.0.0.2", "10.0.0.2", "192.0.2.1", "192.0.2.1"),
        # What a client made up stands to the left of what the proxy saw.
        ("10.0.0.2", "10.0.0.2", "198.51.100.9, 192.0.2.1", "192.0.2.1"),
        ("10.0.0.2,10.1.0.0/16", "10.0.0.2", "198.51.100.9, 192.0.2.1, 10.1.2.3", "192.0.2.1"),
        # A client that claims to be a proxy is none.
        ("10.0.0.2", "192.0.2.1", "10.0.0.2", "192.0.2.1"),
        ("10.0.0.2", "192.0.2.1", "198.51.100.9, 10.0.0.2", "192.0.2.1"),
    ],
)
def test_the_client_is_whom_the_named_proxy_saw(proxies: str, peer: str, said: str, client: str) -> None:
    seen: list[str] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["client"][0])

    config = uvicorn.Config(app, lifespan="off", log_config=None, **before(Settings(trusted_proxies=proxies)))
    config.load()
    headers = [(b"x-forwarded-for", said.encode())]
    scope: Any = {"type": "http", "client": (peer, 1), "headers": headers, "scheme": "http"}
    asyncio.run(config.loaded_app(scope, None, None))
    assert seen == [client]
