"""The index of the log: which receipts name an id. It may trail behind; whoever searches also reads the tail.

What is indexed is only a hint, kept outside the tree: a search reads every receipt that it finds and compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeGuard

from sqlalchemy import Connection, bindparam, select, update

from tarimba.kernel import Kernel
from tarimba.receipts import counting
from tarimba.receipts.reading import LogReader, Stored
from tarimba.storage import Tx
from tarimba.storage.refs import add_refs
from tarimba.storage.tables import space_head

# A piece holds the lock of the space: 800 rows take some 15 ms on PostgreSQL, 3 ms on SQLite.
CHUNK_ROWS: Final = 800
_RECEIPTS_AHEAD: Final = 1000
_REF_MAX: Final = 128
_IDS: Final = {
    "source_id": "source",
    "agent": "source",
    "note_id": "note",
    "proposal_id": "proposal",
    "id": "receipt",
    "kind": "kind",
    "action": "action",
}
_SIZES: Final = select(space_head.c.size, space_head.c.indexed_size).where(
    space_head.c.space_id == bindparam("space_id")
)


@dataclass(frozen=True, slots=True)
class Position:
    """How far the log and its index reach."""

    size: int
    indexed: int

    @property
    def tail(self) -> int:
        return self.size - self.indexed


def refs_of(document: dict[str, Any]) -> frozenset[str]:
    """What a receipt is found by: `note:<id>`, `conversation:<commitment>`, `action:<name>` ...

    Reads are most of a log: `kind:admin` tells the two kinds apart, and `kind:read` would be a row for nothing.
    """
    detail = document.get("detail")
    about = detail if isinstance(detail, dict) else {}
    actor = document.get("actor")
    named = [(word, document.get(member)) for member, word in _IDS.items()]
    named += [("conversation", about.get("conversation")), ("task", about.get("task"))]
    named += [("actor", actor.get("id"))] if isinstance(actor, dict) else []
    notes = about.get("notes")
    # An import names its notes with their hashes; a mapping yields its keys.
    named += [("note", note_id) for note_id in notes] if isinstance(notes, list | dict) else []
    return frozenset(f"{word}:{value}" for word, value in named if _is_plain(value)) - {"kind:read"}


def hour_ref(at: str) -> str:
    """The reference of the hour of an RFC 3339 moment in UTC; sorted like the hours."""
    return f"hour:{at[:13]}"


def position(connection: Connection, space_id: str) -> Position:
    """How far log and index reach in this snapshot; an unknown space has an empty log."""
    row = connection.execute(_SIZES, {"space_id": space_id}).first()
    return Position(0, 0) if row is None else Position(row.size, row.indexed_size)


def index(kernel: Kernel, space_id: str, *, chunk: int = CHUNK_ROWS, chunks_max: int | None = None) -> int:
    """Indexes what is not indexed yet, about `chunk` rows a transaction; returns how many receipts remain.

    Ends after `chunks_max` transactions. Several processes may do it at once: the first to commit a piece wins.
    Raises `unavailable`.
    """
    done = 0
    while True:
        piece = _next_piece(kernel, space_id, chunk)
        if piece.start == piece.end or done == chunks_max:
            return piece.remaining
        kernel.writer.commit(space_id, partial(_store, piece))
        done += 1


@dataclass(frozen=True, slots=True)
class _Piece:
    """The rows of the receipts `[start, end)`; `remaining` receipts are not indexed without them."""

    start: int
    end: int
    remaining: int
    rows: list[tuple[str, int]]
    counts: counting.Counts


def _next_piece(kernel: Kernel, space_id: str, chunk: int) -> _Piece:
    with kernel.database.read() as connection:
        at = position(connection, space_id)
        reader = LogReader(connection, space_id, kernel.cold)
        last_hour = _hour(reader.read(at.indexed - 1)) if at.indexed else None
        rows: list[tuple[str, int]] = []
        counts: counting.Counts = {}
        end = at.indexed
        for stored in reader.span(at.indexed, min(at.size, at.indexed + _RECEIPTS_AHEAD)):
            refs, hour = refs_of(stored.document), _hour(stored)
            # A row where the hour changes is enough to find a time: one for each receipt would be a waste.
            refs |= {hour} if hour != last_hour else frozenset()
            rows += [(ref, stored.seq) for ref in sorted(refs)]
            last_hour, end = hour, stored.seq + 1
            counting.count(counts, stored.document)
            if len(rows) >= chunk:
                break
    return _Piece(at.indexed, end, at.tail, rows, counts)


def _store(piece: _Piece, tx: Tx) -> None:
    """Stores nothing when another process was here first. Derived, so it leaves no receipt."""
    mine = (space_head.c.space_id == tx.space_id, space_head.c.indexed_size == piece.start)
    if tx.write(update(space_head).where(*mine).values(indexed_size=piece.end)):
        add_refs(tx.connection, tx.space_id, piece.rows)
        counting.add(tx, piece.counts)


def _hour(stored: Stored) -> str:
    at = stored.document.get("at")
    return hour_ref(at if _is_plain(at) else "")


def _is_plain(value: object) -> TypeGuard[str]:
    """Whether it is an id, a hash or a code of ours: an altered log may hold anything in their place."""
    return isinstance(value, str) and 0 < len(value) <= _REF_MAX and value.isascii() and value.isprintable()


def spaces_behind(kernel: Kernel, tail: int) -> list[str]:
    """The spaces whose index trails by at least `tail` receipts."""
    behind = space_head.c.size - space_head.c.indexed_size >= tail
    with kernel.database.read() as connection:
        return list(connection.scalars(select(space_head.c.space_id).where(behind).limit(100)))
