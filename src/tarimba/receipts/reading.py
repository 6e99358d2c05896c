"""Reading receipts back: entries out of their bundles, block reads with their notes again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from tarimba.receipts.merkle import HASH_SIZE
from tarimba.receipts.verify import NotesOf, parsed, with_notes
from tarimba.storage.tables import block_notes, receipt_bundle

_COLUMNS: Final = receipt_bundle.c
_BUNDLE_OF: Final = (
    select(_COLUMNS.first_seq, _COLUMNS.hashes, _COLUMNS.entries)
    .where(_COLUMNS.space_id == bindparam("space_id"), _COLUMNS.first_seq <= bindparam("seq"))
    .order_by(_COLUMNS.first_seq.desc())
    .limit(1)
)
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


class LogReader:
    """Reads the log of one space in one snapshot. Remembers the last bundle: neighbours cost one query.

    A damaged log is shown as it is, not hidden: where nothing is stored the document says `missing`, where
    something else than a receipt is stored `unreadable`.
    """

    def __init__(self, connection: Connection, space_id: str) -> None:
        self._connection = connection
        self._space_id = space_id
        self._first = 0
        self._lines: list[bytes] = []
        self._hashes = b""
        self._notes: dict[str, Sequence[str] | None] = {}

    def read(self, seq: int) -> Stored:
        """What the log has at `seq`."""
        if not 0 <= seq - self._first < len(self._lines):
            self._load(seq)
        at = seq - self._first
        if at >= len(self._lines):
            return Stored(seq, b"", {"missing": True})
        leaf = self._hashes[at * HASH_SIZE : (at + 1) * HASH_SIZE]
        return Stored(seq, leaf, self._document(self._lines[at]))

    def span(self, start: int, end: int) -> Iterator[Stored]:
        """What the log has from `start` up to and without `end`."""
        return (self.read(seq) for seq in range(start, end))

    def _load(self, seq: int) -> None:
        row = self._connection.execute(_BUNDLE_OF, {"space_id": self._space_id, "seq": seq}).first()
        self._first = 0 if row is None else int(row.first_seq)
        self._lines = [] if row is None else bytes(row.entries).split(b"\n")
        self._hashes = b"" if row is None else bytes(row.hashes)

    def _document(self, line: bytes) -> dict[str, Any]:
        document = parsed(line)
        return {"unreadable": True} if document is None else expand(document, self._notes_of)

    def _notes_of(self, etag: str) -> Sequence[str] | None:
        if etag not in self._notes:
            self._notes[etag] = notes_of(self._connection, self._space_id, etag)
        return self._notes[etag]
