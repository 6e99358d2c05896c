"""One kernel for each kind of database and module, with a company in it; each test has a graph of its own."""

from collections.abc import Iterator

import pytest

from tarimba.kernel import Kernel
from tests.contract.graph.seat import Seat, seat_of
from tests.e2e.company import Company, Place, found_in
from tests.e2e.conftest import place  # noqa: F401


@pytest.fixture(scope="module")
def opened(place: Place) -> Iterator[Kernel]:  # noqa: F811
    with place.kernel() as kernel:
        yield kernel


@pytest.fixture(scope="module")
def company(opened: Kernel) -> Company:
    return found_in(opened)


@pytest.fixture
def seat(opened: Kernel, company: Company) -> Seat:
    return seat_of(opened, company)
