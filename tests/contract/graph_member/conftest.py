"""One server for each kind of database and module; each test has a company with a member who works with `billing`."""

from collections.abc import Iterator

import pytest

from tests.contract.api.served import Api, serving
from tests.contract.graph_member.desk import Desk
from tests.e2e.company import Place
from tests.e2e.conftest import place  # noqa: F401


@pytest.fixture(scope="module")
def api(place: Place) -> Iterator[Api]:  # noqa: F811
    with serving(place) as running:
        yield running


@pytest.fixture
def desk(api: Api) -> Desk:
    return Desk(api, api.found())
