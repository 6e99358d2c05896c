"""SQL of the vocabulary: rows to entries and back. No decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, delete, func, insert, select

from tarimba.clock import rfc3339
from tarimba.identity.listing import Page, Window, page_of, rows_of
from tarimba.personal_data.vocabulary_rules import Term, fold_term
from tarimba.storage import Tx
from tarimba.storage.tables import vocabulary


@dataclass(frozen=True, slots=True)
class Entry:
    """A term of the space; `created_by` is the id of the person or key, `created_at` in microseconds."""

    entry_id: str
    term: str
    folded: str
    reason: str
    confirmed: bool
    created_at: int
    created_by: str
    ordinal: int

    def as_json(self) -> dict[str, Any]:
        """The entry as the API and the command line show it."""
        return {
            "entry_id": self.entry_id,
            "term": self.term,
            "reason": self.reason,
            "confirmed": self.confirmed,
            "created_at": rfc3339(self.created_at),
            "created_by": self.created_by,
        }


def entries(connection: Connection, space_id: str, window: Window) -> Page[Entry]:
    rows = rows_of(connection, _entries(space_id), vocabulary.c.ordinal, window)
    return page_of([_entry(row) for row in rows], window)


def every(connection: Connection, space_id: str) -> list[Entry]:
    return [_entry(row) for row in connection.execute(_entries(space_id))]


def by_id(connection: Connection, space_id: str, entry_id: str) -> Entry | None:
    row = connection.execute(_entries(space_id).where(vocabulary.c.entry_id == entry_id)).first()
    return _entry(row) if row else None


def by_folded(connection: Connection, space_id: str, folded: str) -> Entry | None:
    row = connection.execute(_entries(space_id).where(vocabulary.c.folded == folded)).first()
    return _entry(row) if row else None


def by_term(connection: Connection, space_id: str, term: str) -> Entry | None:
    """The entry of a term, however it is written."""
    return by_folded(connection, space_id, fold_term(term))


def terms(connection: Connection, space_id: str) -> list[tuple[str, str]]:
    """Folded term and reason of every entry."""
    query = select(vocabulary.c.folded, vocabulary.c.reason).where(vocabulary.c.space_id == space_id)
    return [(row.folded, row.reason) for row in connection.execute(query)]


def count(connection: Connection, space_id: str) -> int:
    query = select(func.count()).select_from(vocabulary).where(vocabulary.c.space_id == space_id)
    return int(connection.scalar(query) or 0)


def add(tx: Tx, new: Mapping[str, Term], by: str) -> None:
    """Stores terms by their ids."""
    rows = [
        {
            "space_id": tx.space_id,
            "entry_id": entry_id,
            "term": term.text,
            "folded": term.folded,
            "reason": term.reason,
            "confirmed": int(term.confirmed),
            "created_at": tx.now,
            "created_by": by,
            "ordinal": tx.next_ordinal(),
        }
        for entry_id, term in new.items()
    ]
    tx.write(insert(vocabulary), rows)


def remove(tx: Tx, entry_id: str) -> None:
    mine = and_(vocabulary.c.space_id == tx.space_id, vocabulary.c.entry_id == entry_id)
    tx.write(delete(vocabulary).where(mine))


def _entries(space_id: str) -> Select[Any]:
    return select(vocabulary).where(vocabulary.c.space_id == space_id)


def _entry(row: Row[Any]) -> Entry:
    return Entry(
        row.entry_id,
        row.term,
        row.folded,
        row.reason,
        bool(row.confirmed),
        row.created_at,
        row.created_by,
        row.ordinal,
    )
