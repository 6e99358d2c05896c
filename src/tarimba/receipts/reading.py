"""Reading receipts back: entries out of their bundles and cold files, block reads with their notes again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, select

from tarimba.receipts.cold import Cold, ColdLog
from tarimba.receipts.merkle import HASH_SIZE
from tarimba.receipts.tree import WIDTH
from tarimba.receipts.verify import NotesOf, parsed, with_notes
from tarimba.storage.tables import block_notes, receipt_bundle

_COLUMNS: Final = receipt_bundle.c
_BUNDLES: Final = select(_COLUMNS.first_seq, _COLUMNS.hashes, _COLUMNS.entries).where(
    _COLUMNS.space_id == bindparam("space_id")
)
# The bundle of a place with those before it, and those that follow on one.
_BEFORE: Final = (
    _BUNDLES.where(_COLUMNS.first_seq <= bindparam("seq"))
    .order_by(_COLUMNS.first_seq.desc())
    .limit(bindparam("most"))
)
_FROM: Final = (
    _BUNDLES.where(_COLUMNS.first_seq >= bindparam("seq"))
    .order_by(_COLUMNS.first_seq)
    .limit(bindparam("most"))
)
# Who goes on from bundle to bundle gets twice as many each time, up to so many: where few receipts are left at a time
# each has a bundle of its own.
_AT_ONCE_MAX: Final = 64
_NOTES_OF: Final = select(block_notes.c.notes).where(
    block_notes.c.space_id == bindparam("space_id"), block_notes.c.etag == bindparam("etag")
)


@dataclass(frozen=True, slots=True)
class Stored:
    """A receipt in the log: its position, the hash of its leaf (32 bytes) and its document."""

    seq: int
    leaf: bytes
    document: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """The document as it was hashed, with its place."""
        return {**self.document, "seq": self.seq, "leaf": self.leaf.hex()}


def expand(document: dict[str, Any], notes: NotesOf) -> dict[str, Any]:
    """The whole document: a block read is stored without the ids of its notes, which are kept by etag."""
    return with_notes(document, notes)


def notes_of(connection: Connection, space_id: str, etag: str) -> Sequence[str] | None:
    """The ids of the notes of a block in order, or None for an etag that was never given out."""
    kept = connection.scalar(_NOTES_OF, {"space_id": space_id, "etag": etag})
    return None if kept is None else [str(note_id) for note_id in json.loads(kept)]


@dataclass(frozen=True, slots=True)
class _Bundle:
    """Receipts that were stored together, from the place `first` on."""

    first: int
    lines: Sequence[bytes] = ()
    hashes: bytes = b""

    def holds(self, seq: int) -> bool:
        return 0 <= seq - self.first < len(self.lines)

    @property
    def end(self) -> int:
        return self.first + len(self.lines)


class LogReader:
    """Reads the log of one space in one snapshot. Remembers the last bundles: neighbours cost few queries.

    A damaged log is shown as it is, not hidden: where nothing is stored the document says `missing`, where
    something else than a receipt is stored `unreadable`. Raises 503 while the cold file of a place can't be read.
    """

    def __init__(self, connection: Connection, space_id: str, cold: Cold) -> None:
        self._connection = connection
        self._space_id = space_id
        self._cold = ColdLog(cold, connection, space_id)
        self._bundle = _Bundle(0)
        self._loaded: Sequence[_Bundle] = ()
        self._at_once = 1
        self._notes: dict[str, Sequence[str] | None] = {}

    def read(self, seq: int) -> Stored:
        """What the log has at `seq`."""
        if not self._bundle.holds(seq):
            self._bundle = self._of(seq)
        at = seq - self._bundle.first
        if at >= len(self._bundle.lines):
            return Stored(seq, b"", {"missing": True})
        leaf = self._bundle.hashes[at * HASH_SIZE : (at + 1) * HASH_SIZE]
        return Stored(seq, leaf, self._document(self._bundle.lines[at]))

    def span(self, start: int, end: int) -> Iterator[Stored]:
        """What the log has from `start` up to and without `end`."""
        return (self.read(seq) for seq in range(start, end))

    def _of(self, seq: int) -> _Bundle:
        """The bundle of a place, else one that does not hold it."""
        known = next((one for one in self._loaded if one.holds(seq)), None)
        if known is not None:
            return known
        tile = self._cold.tile(seq // WIDTH)
        if tile is not None:
            return _Bundle(seq // WIDTH * WIDTH, tile.lines, b"".join(tile.leaves))
        goes_up, goes_down = seq == self._bundle.end, seq == self._bundle.first - 1
        self._at_once = min(2 * self._at_once, _AT_ONCE_MAX) if goes_up or goes_down else 1
        if goes_up:
            self._loaded = self._load(_FROM, seq)
        # Where a bundle is damaged or gone the next one does not begin at its end.
        if not goes_up or not any(one.holds(seq) for one in self._loaded):
            self._loaded = self._load(_BEFORE, seq)
        return next(iter(self._loaded), _Bundle(0))

    def _load(self, query: Select[Any], seq: int) -> Sequence[_Bundle]:
        asked = {"space_id": self._space_id, "seq": seq, "most": self._at_once}
        return [
            _Bundle(int(row.first_seq), bytes(row.entries).split(b"\n"), bytes(row.hashes))
            for row in self._connection.execute(query, asked)
        ]

    def _document(self, line: bytes) -> dict[str, Any]:
        document = parsed(line)
        return {"unreadable": True} if document is None else expand(document, self._notes_of)

    def _notes_of(self, etag: str) -> Sequence[str] | None:
        if etag not in self._notes:
            self._notes[etag] = notes_of(self._connection, self._space_id, etag)
        return self._notes[etag]
