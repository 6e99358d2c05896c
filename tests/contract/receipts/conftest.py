"""A kernel on an empty database of each kind, and a small space in it."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tests.contract.receipts.tampering import a_log
from tests.contract.receipts.world import World, make_world


@pytest.fixture
def kernel(database_url: str, tmp_path: Path) -> Iterator[Kernel]:
    master = SecretStr(base64.b64encode(bytes(range(32))).decode())
    settings = Settings.model_validate({"data": tmp_path, "db": database_url, "master_key": master})
    with open_kernel(settings) as opened:
        yield opened


@pytest.fixture
def world(kernel: Kernel) -> World:
    return make_world(kernel)


@pytest.fixture
def log(world: World) -> World:
    return a_log(world)
