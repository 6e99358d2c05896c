"""The memory graph, and the fixtures behind its front, for a conformance program that has no token itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx

from tarimba.app import build_app
from tarimba.http.skin import bare_app
from tarimba.kernel import Kernel
from tarimba.mcp.endpoint import Endpoint
from tarimba.mcp.graph_server import PATH, Workspaces
from tarimba.mcp.resource import Resource
from tests.contract.api.served import Api
from tests.contract.graph_mcp.team import SECRET, Team, found_team
from tests.contract.mcp.served import listening
from tests.e2e.company import Place
from tests.recipes.mcp_conformance import fixtures


@contextmanager
def serving_graph(data: Path) -> Iterator[tuple[str, Team]]:
    """The URL of the graph's server, where whoever asks without a token is the team's member."""
    place = Place(data, None)
    with place.kernel(mcp_token_secret=SECRET) as kernel:
        opened = _Opened(build_app(kernel))
        with listening(opened) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
            team = _team(Api(place, kernel, client))
            opened.token = team.token()
            yield f"{client.base_url}{PATH}", team


@contextmanager
def serving_fixtures(kernel: Kernel, token: str) -> Iterator[str]:
    """The URL of the fixtures, behind the same front with the same tokens."""
    door = Workspaces(Resource(kernel.settings, PATH))
    endpoint = Endpoint(kernel, "fixtures", door, lambda *_: fixtures.server())

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        async with endpoint.running():
            yield

    app = bare_app(lifespan=lifespan)

    async def front(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        await (endpoint if scope["type"] == "http" else app)(scope, receive, send)

    opened = _Opened(front)
    opened.token = token
    with listening(opened) as port:
        yield f"http://127.0.0.1:{port}{PATH}"


def _team(api: Api) -> Team:
    return found_team(api, api.found())


class _Opened:
    """Gives the token to requests that come without one."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.token = ""

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http" and b"authorization" not in dict(scope["headers"]):
            bearer = (b"authorization", f"Bearer {self.token}".encode())
            scope = {**scope, "headers": [*scope["headers"], bearer]}
        await self._app(scope, receive, send)
