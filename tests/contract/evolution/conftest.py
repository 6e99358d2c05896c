"""An office on each database, with a folder for workspaces."""

from pathlib import Path

import pytest

from tests.contract.evolution.stage import Office
from tests.contract.notes.world import World


@pytest.fixture
def office(world: World, tmp_path: Path) -> Office:
    return Office(world, tmp_path / "workspaces")
