"""A database with one empty space and a writer over it: the kernel's lowest part, without any feature."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from sqlalchemy import Connection, insert, select, text

from tarimba.clock import Clock
from tarimba.receipts.merkle import Frontier
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.writer import GroupCommit
from tarimba.storage import Database, Tx
from tarimba.storage.tables import metadata, receipt_bundle, space, space_head
from tarimba.vault import SpaceKey

KEY = SpaceKey(b"k" * 32)


def add_space(connection: Connection, space_id: str) -> None:
    """A space without anything in it."""
    number = int(connection.scalar(text("SELECT count(*) FROM space")) or 0) + 1
    values = {"space_id": space_id, "space_no": number, "slug": space_id, "name": space_id, "language": "pt"}
    connection.execute(insert(space).values(environment="test", hmac_key=b"-", created_at=0, **values))
    head = {"space_id": space_id, "frontier": Frontier.empty().to_bytes(), "seal": b""}
    connection.execute(insert(space_head).values(**head))


@dataclass
class Ground:
    """What the tests of the writer stand on."""

    database: Database
    clock: Clock
    writer: GroupCommit

    def log_size(self, space_id: str = "s") -> int:
        with self.database.read() as connection:
            return int(
                connection.scalar(select(space_head.c.size).where(space_head.c.space_id == space_id)) or 0
            )

    def bundles(self) -> int:
        with self.database.read() as connection:
            return len(connection.execute(select(receipt_bundle.c.first_seq)).all())


@pytest.fixture
def ground(database_url: str) -> Iterator[Ground]:
    database = Database(database_url)
    metadata.create_all(database.write_engine)
    with database.write() as connection:
        add_space(connection, "s")
        add_space(connection, "t")
    clock = Clock()
    writer = GroupCommit(database, clock, lambda _space_id: KEY, queue_max=4096)
    writer.start()
    yield Ground(database, clock, writer)
    writer.stop()
    database.close()


def act(**detail: object) -> Receipt:
    """A receipt that a test records for whatever it changes."""
    return Receipt("settings.change", Actor("system", "cli"), "cli", detail=detail)


def set_value(tx: Tx, name: str, value: str) -> None:
    """A change of a governed table."""
    from tarimba.storage.tables import space_setting

    tx.write(insert(space_setting).values(space_id=tx.space_id, name=name, value=value))
