"""One server for each kind of database and module; each test founds a company of its own."""

from collections.abc import Iterator

import pytest

from tests.contract.api.served import Api, serving
from tests.e2e.company import Company, Place
from tests.e2e.conftest import place  # noqa: F401


@pytest.fixture(scope="module")
def api(place: Place) -> Iterator[Api]:  # noqa: F811
    options = {
        "workspaces": place.data / "workspaces",
        "mcp_token_secret": "a secret that signs tokens in tests",
    }
    with serving(place, **options) as running:
        yield running


@pytest.fixture
def company(api: Api) -> Company:
    return api.found()
