"""The reference memory server and ours, each behind the protocol's own client, asked the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tarimba.mcp.graph_names import PREFIX
from tests.recipes.npm import node

HERE = Path(__file__).parent
Asked = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Side:
    """One server and the graph that it keeps for us."""

    portal: BlockingPortal
    client: Client
    prefix: str = ""

    def ask(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the tool answers, structured; None where it fails."""
        answer: dict[str, Any] | None = self.portal.call(self._ask, tool, arguments)
        return answer

    def at_once(self, calls: Sequence[Asked]) -> list[dict[str, Any] | None]:
        """The same for many calls that are all under way before the first is answered."""
        waiting = [self.portal.start_task_soon(self._ask, *call) for call in calls]
        return [one.result() for one in waiting]

    async def _ask(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        result = await self.client.call_tool(self.prefix + tool, dict(arguments))
        return None if result.is_error else result.structured_content


@contextmanager
def reference(file: Path) -> Iterator[Side]:
    """The npm server, with its graph in `file`; it has one client, on its standard input."""
    program, modules = node(HERE)
    server = modules / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
    environment = {"MEMORY_FILE_PATH": str(file)}
    given = StdioServerParameters(command=program, args=[str(server)], env=environment)
    with file.with_suffix(".log").open("w") as log, start_blocking_portal() as portal:
        # It tells on its standard error that it runs.
        client = Client(stdio_client(given, errlog=log))
        with portal.wrap_async_context_manager(client) as talking:
            yield Side(portal, talking)


@contextmanager
def ours(url: str, token: str) -> Iterator[Side]:
    """The graph behind a workspace's token."""
    http = httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(http):
        client = Client(streamable_http_client(url, http_client=http))
        with portal.wrap_async_context_manager(client) as talking:
            yield Side(portal, talking, PREFIX)
