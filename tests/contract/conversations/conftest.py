import pytest

from tests.contract.conversations.talks import Talks
from tests.contract.notes.world import World


@pytest.fixture
def talks(world: World) -> Talks:
    return Talks(world)
