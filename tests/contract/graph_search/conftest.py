"""A member's graph in a new company."""

import pytest

from tests.contract.graph_search.desk import Desk, desk_of
from tests.contract.notes.world import World


@pytest.fixture
def desk(world: World) -> Desk:
    return desk_of(world)
