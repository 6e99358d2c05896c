"""One server for each kind of database and module, and people who come in by links as they would in life."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.api.served import Api, serving
from tests.contract.console.visitor import Office
from tests.e2e.company import Place
from tests.e2e.conftest import place  # noqa: F401
from tests.fixtures.cluster import PostgresServer


@pytest.fixture(scope="module")
def api(place: Place) -> Iterator[Api]:  # noqa: F811
    options = {
        "workspaces": place.data / "workspaces",
        "mcp_token_secret": "a secret that signs tokens in tests",
    }
    with serving(place, **options) as running:
        yield running


@pytest.fixture
def office(api: Api) -> Iterator[Office]:
    found = Office(api, api.found())
    yield found
    found.close()


@pytest.fixture(params=["sqlite", "postgres"])
def bare_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Where there is no space yet."""
    if request.param == "sqlite":
        yield Place(tmp_path, None)
        return
    cluster: PostgresServer = request.getfixturevalue("postgres_server")
    url = cluster.create_database()
    yield Place(tmp_path, url)
    cluster.drop_database(url)
