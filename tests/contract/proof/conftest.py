"""The small space of the log's tests, and one whose old receipts move to a folder."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.proof.cooling import Cooling
from tarimba.settings import Settings
from tests.contract.proof.frozen import AFTER_DAYS, Frozen, written
from tests.contract.receipts.conftest import kernel, log, world  # noqa: F401
from tests.contract.receipts.world import make_world


@pytest.fixture
def frozen(database_url: str, tmp_path: Path) -> Iterator[Frozen]:
    master = SecretStr(base64.b64encode(bytes(range(32))).decode())
    options = {"data": tmp_path, "db": database_url, "master_key": master}
    cold = {"cold_dir": tmp_path / "cold", "cold_after_days": AFTER_DAYS}
    with open_kernel(Settings.model_validate(options | cold)) as opened:
        world = make_world(opened)
        written(world)
        yield Frozen(world, tmp_path / "cold", Cooling(opened))
