"""The MCP server behind a real HTTP server, and the SDK's own client in front of it."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx
import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tarimba.app import build_app
from tests.contract.notes.world import World
from tests.fixtures.sockets import listener

T = TypeVar("T")
ERAS = ("legacy", "2026-07-28")


class Served:
    """A world whose notes are served at `url`."""

    def __init__(self, world: World, port: int) -> None:
        self.world = world
        self.url = f"http://127.0.0.1:{port}/mcp"
        self.headers: dict[str, str] = {}
        """What the client sends beside its key."""

    def ask(self, key: str, era: str, talk: Callable[[Client], Awaitable[T]]) -> T:
        """What `talk` gives with a client that has the key of that name and speaks that era."""
        return asyncio.run(self._ask(key, era, talk))

    def call(self, key: str, era: str, tool: str, **arguments: Any) -> CallToolResult:
        async def talk(client: Client) -> CallToolResult:
            return await client.call_tool(tool, arguments)

        return self.ask(key, era, talk)

    def post(
        self,
        message: Any = None,
        *,
        key: str | None = "billing",
        content: bytes | None = None,
        version: str | None = None,
        **headers: str,
    ) -> httpx.Response:
        """One bare request; underscores in names of headers stand for hyphens."""
        sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if key is not None:
            sent["authorization"] = f"Bearer {self.world.bearers.get(key, key)}"
        if version is not None:
            sent["mcp-protocol-version"] = version
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = json.dumps(message).encode() if content is None else content
        return httpx.post(self.url, content=body, headers=sent, timeout=60)

    async def _ask(self, key: str, era: str, talk: Callable[[Client], Awaitable[T]]) -> T:
        headers = {"authorization": f"Bearer {self.world.bearers[key]}", **self.headers}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode=era) as client:
                return await talk(client)


def text(result: CallToolResult) -> str:
    """What the model reads."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@contextmanager
def listening(app: Any) -> Iterator[int]:
    """The port at which a real HTTP server in a thread of its own serves an ASGI application."""
    bound = listener()
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
    # Requests wait in the socket's queue until the server accepts, so nobody has to wait for it to start.
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([bound])))
    thread.start()
    try:
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


@contextmanager
def serving(world: World) -> Iterator[Served]:
    """The world behind the whole server, as `tarimba serve` runs it."""
    with listening(build_app(world.kernel)) as port:
        yield Served(world, port)
