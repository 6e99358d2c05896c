"""One server and company for each kind of database and module; each test has a team, and so graphs, of its own."""

from collections.abc import Iterator

import pytest

from tests.contract.api.served import Api, serving
from tests.contract.graph_mcp.team import SECRET, Team, found_team
from tests.e2e.company import Company, Place
from tests.e2e.conftest import place  # noqa: F401


@pytest.fixture(scope="module")
def api(place: Place) -> Iterator[Api]:  # noqa: F811
    public_url = "https://memory.acme.example/tarimba"
    with serving(place, mcp_token_secret=SECRET, public_url=public_url) as running:
        yield running


@pytest.fixture(scope="module")
def company(api: Api) -> Company:
    return api.found()


@pytest.fixture
def team(api: Api, company: Company) -> Team:
    return found_team(api, company)
