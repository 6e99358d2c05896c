"""A log whose oldest receipts are old enough to move, and what can be asked of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from tarimba.clock import DAY
from tarimba.proof import service as proof
from tarimba.proof.cooling import Cooling
from tarimba.receipts.audit import verify_space
from tarimba.receipts.cold import ColdFile, files
from tarimba.receipts.nodes import grow
from tarimba.receipts.reading import LogReader, Stored
from tarimba.receipts.report import Report
from tarimba.storage.tables import receipt_bundle
from tests.contract.receipts.world import World

AFTER_DAYS = 30
# Two full tiles and the beginning of a third.
LONG = 600
CONVERSATION = "conversa-0001"


@dataclass(frozen=True)
class Frozen:
    """`moves` is the upkeep of one process."""

    world: World
    folder: Path
    moves: Cooling

    def age(self, days: int = AFTER_DAYS + 1) -> None:
        """So many days pass, and a checkpoint is made."""
        self.world.kernel.clock.offset_us += days * DAY
        proof.make(self.world.kernel, self.world.space_id)

    def move(self) -> None:
        """Whatever may move does."""
        while self.moves.piece():
            pass

    def log(self) -> list[Stored]:
        kernel, space_id = self.world.kernel, self.world.space_id
        with kernel.database.read() as connection:
            return list(LogReader(connection, space_id, kernel.cold).span(0, self.world.size))

    def files(self) -> list[ColdFile]:
        with self.world.kernel.database.read() as connection:
            return list(files(connection, self.world.space_id))

    def first_row(self) -> int:
        """The place of the first receipt that is in the database."""
        with self.world.kernel.database.read() as connection:
            return int(connection.scalar(select(func.min(receipt_bundle.c.first_seq))) or 0)

    def verify(self) -> Report:
        return verify_space(self.world.kernel, self.world.space_id)

    def path(self, number: int) -> Path:
        return self.folder / self.files()[number].name


def written(world: World) -> None:
    """600 receipts, some alone in their rows, some in rows that reach over the ends of tiles."""
    note, _ = world.write_note("First")
    world.read_block([note.note_id], conversation=CONVERSATION)
    while world.size < LONG:
        count = min(90, LONG - world.size)
        world.act(*(world.receipt("settings.change", new=number) for number in range(count)))
        world.read_block([note.note_id])
    while grow(world.kernel):
        pass


def cool_receipts(log: list[Stored]) -> list[Mapping[str, Any]]:
    return [one.document for one in log if one.document["action"] == "receipts.cool"]
