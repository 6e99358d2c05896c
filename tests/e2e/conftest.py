"""Places to serve from, one for each kind of database and module."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.company import Company, Place, found
from tests.fixtures.cluster import PostgresServer
from tests.fixtures.server import RunningServer, running_server


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """An empty database for the tests of one module; each test founds a company of its own in it."""
    data = tmp_path_factory.mktemp("data")
    if request.param == "sqlite":
        yield Place(data, None)
        return
    cluster: PostgresServer = request.getfixturevalue("postgres_server")
    url = cluster.create_database()
    yield Place(data, url)
    cluster.drop_database(url)


@pytest.fixture
def sqlite_place(tmp_path: Path) -> Place:
    return Place(tmp_path, None)


@pytest.fixture(scope="module")
def server(place: Place) -> Iterator[RunningServer]:
    with running_server(place.data, place.db, env=place.environment) as running:
        yield running


@pytest.fixture
def company(place: Place) -> Company:
    return found(place)
