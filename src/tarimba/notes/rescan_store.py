"""SQL of scanning again: the active heads that were checked with something else, and their stamp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, and_, bindparam, exists, select, update

from tarimba.notes import store
from tarimba.notes.model import Stored
from tarimba.storage import Tx
from tarimba.storage.tables import note_chain, note_version, space

_IS_HEAD: Final = and_(
    note_version.c.space_id == note_chain.c.space_id, note_version.c.note_id == note_chain.c.head_note_id
)
_BEHIND: Final = (note_chain.c.status == "active", note_version.c.detectors != bindparam("stamp"))
_HEADS: Final = (
    store.STORED.where(
        note_chain.c.head_note_id == note_version.c.note_id, *_BEHIND, note_chain.c.age > bindparam("after")
    )
    .order_by(note_chain.c.age)
    .limit(bindparam("most"))
)
_ANY: Final = select(exists().where(note_chain.c.space_id == bindparam("space_id"), _IS_HEAD, *_BEHIND))
_STAMP: Final = (
    update(note_version)
    .where(note_version.c.space_id == bindparam("of"), note_version.c.note_id == bindparam("note"))
    .values(detectors=bindparam("passed"))
)
_NUMBER: Final = select(space.c.space_no).where(space.c.space_id == bindparam("of"))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a scan is: for what stamp, behind which age of a note, in which round, and what it found."""

    stamp: str = ""
    after: int = 0
    scanned: int = 0
    retired: int = 0
    rounds: int = 1


def has_behind(connection: Connection, space_id: str, stamp: str) -> bool:
    """Whether an active head of the space was checked with something else than `stamp`."""
    return bool(connection.scalar(_ANY, {"space_id": space_id, "stamp": stamp}))


def behind(connection: Connection, space_id: str, progress: Progress, most: int) -> list[Stored]:
    """The next active heads that were checked with something else, oldest first."""
    values = {"space_id": space_id, "stamp": progress.stamp, "after": progress.after, "most": most}
    return [store.stored(row) for row in connection.execute(_HEADS, values)]


def stamp(tx: Tx, note_id: str, passed: str) -> None:
    """Says that a version passed what the stamp `passed` stands for."""
    tx.write(_STAMP, [{"of": tx.space_id, "note": note_id, "passed": passed}])


def space_no(connection: Connection, space_id: str) -> int:
    """The number of a space, for the index of words."""
    return int(connection.scalar(_NUMBER, {"of": space_id}) or 0)
