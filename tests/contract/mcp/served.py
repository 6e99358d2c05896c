"""The MCP server behind a real HTTP server, and the SDK's own client in front of it."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import httpx
import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tarimba.mcp.server import NotesMcp
from tests.contract.notes.world import World

T = TypeVar("T")
ERAS = ("legacy", "2026-07-28")


class Served:
    """A world whose notes are served at `url`."""

    def __init__(self, world: World, port: int) -> None:
        self.world = world
        self.url = f"http://127.0.0.1:{port}/mcp"

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
        headers = {"authorization": f"Bearer {self.world.bearers[key]}"}
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
def serving(world: World) -> Iterator[Served]:
    """The world served by a server in a thread of its own."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(_Application(NotesMcp(world.kernel)), log_config=None, lifespan="on")
    server = uvicorn.Server(config)
    # Requests wait in the socket's queue until the server accepts, so nobody has to wait for it to start.
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    try:
        yield Served(world, listening.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


class _Application:
    """What the composition root does, for the MCP server alone."""

    def __init__(self, mcp: NotesMcp) -> None:
        self._mcp = mcp

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await self._mcp(scope, receive, send)
            return
        async with self._living(receive, send):
            await receive()

    @asynccontextmanager
    async def _living(self, receive: Any, send: Any) -> AsyncIterator[None]:
        await receive()
        async with self._mcp.running():
            await send({"type": "lifespan.startup.complete"})
            yield
        await send({"type": "lifespan.shutdown.complete"})
