"""A kernel with everything that the log needs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tarimba.blocks.cache import BlockCache
from tarimba.clock import Clock
from tarimba.kernel import Kernel
from tarimba.notes.words import Words
from tarimba.personal_data.detectors import Detectors
from tarimba.receipts.writer import GroupCommit
from tarimba.settings import Settings
from tarimba.spaces import SpaceKeys
from tarimba.storage import Database
from tarimba.storage.tables import metadata
from tarimba.tokens import O200k
from tarimba.vault import Vault
from tests.contract.receipts.world import World, make_world


@pytest.fixture
def kernel(database_url: str, tmp_path: Path) -> Iterator[Kernel]:
    database = Database(database_url)
    metadata.create_all(database.write_engine)
    vault, clock = Vault(bytes(range(32))), Clock()
    keys = SpaceKeys(database, vault)
    writer = GroupCommit(database, clock, keys.of)
    writer.start()
    yield Kernel(
        settings=Settings.model_validate({"data": tmp_path, "db": database_url}),
        clock=clock,
        database=database,
        vault=vault,
        keys=keys,
        writer=writer,
        tokenizer=O200k(),
        words=Words(),
        detectors=Detectors.local(),
        blocks=BlockCache(),
    )
    writer.stop()
    database.close()


@pytest.fixture
def world(kernel: Kernel) -> World:
    return make_world(kernel)
