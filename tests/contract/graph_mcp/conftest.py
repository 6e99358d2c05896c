"""One server with a memory graph for each kind of database and module; each test has a team of its own."""

from collections.abc import Iterator

import pytest

from tests.contract.api.served import Api, serving
from tests.contract.graph_mcp.team import SECRET, Team, found_team
from tests.e2e.company import Place
from tests.e2e.conftest import place  # noqa: F401


@pytest.fixture(scope="module")
def api(place: Place) -> Iterator[Api]:  # noqa: F811
    public_url = "https://memory.acme.example/tarimba"
    with serving(place, mcp_token_secret=SECRET, public_url=public_url) as running:
        yield running


@pytest.fixture
def team(api: Api) -> Team:
    return found_team(api)
