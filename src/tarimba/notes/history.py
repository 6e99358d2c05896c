"""Every version in the order of age, as it was at one place of the log: what an export reads page by page."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, and_, bindparam, or_

from tarimba.notes import store
from tarimba.notes.model import Stored
from tarimba.storage.tables import note_chain, note_version

_ON: Final = (
    store.STORED.add_columns(note_version.c.seq_to)
    .where(
        note_chain.c.status.in_(store.SHOWN),
        note_version.c.seq_from < bindparam("until"),
        or_(
            note_chain.c.age > bindparam("age"),
            and_(note_chain.c.age == bindparam("age"), note_version.c.version > bindparam("version")),
        ),
    )
    .order_by(note_chain.c.age, note_version.c.version)
)


def versions_after(
    connection: Connection,
    space_id: str,
    source_id: str | None,
    after: tuple[int, int],
    until: int,
    limit: int,
) -> list[Stored]:
    """Up to `limit` versions behind `after` (age, version), with the status they had before the receipt `until`.

    So an export needs no long transaction: what is written while it runs does not show in it.
    """
    query = _ON.limit(limit)
    if source_id is not None:
        query = query.where(note_chain.c.source_id == source_id)
    values = {"space_id": space_id, "until": until, "age": after[0], "version": after[1]}
    found = []
    for row in connection.execute(query, values):
        status = "active" if row.seq_to is None or row.seq_to > until else "retired"
        stored = store.stored(row)
        found.append(replace(stored, note=replace(stored.note, status=status)))
    return found
