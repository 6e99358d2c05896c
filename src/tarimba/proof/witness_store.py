"""SQL of witnesses and their cosignatures."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from tarimba.proof.model import Witness
from tarimba.receipts.cosignature import Cosignature, WitnessKey
from tarimba.storage import Tx
from tarimba.storage.tables import log_checkpoint, log_cosignature, log_witness

_COLUMNS = log_witness.c


def witnesses(connection: Connection, space_id: str) -> list[Witness]:
    """Those that are not removed, oldest first, each with the largest checkpoint that it cosigned."""
    mine = (_COLUMNS.space_id == space_id, _COLUMNS.removed_at.is_(None))
    newest = _newest(connection, space_id)
    rows = connection.execute(select(log_witness).where(*mine).order_by(_COLUMNS.ordinal))
    return [_witness(row, newest) for row in rows]


def _newest(connection: Connection, space_id: str) -> Mapping[str, tuple[int, int]]:
    """(size, when) of the largest checkpoint that each cosigned."""
    table = log_cosignature.c
    largest = (
        select(table.key_id, func.max(table.size).label("size"))
        .where(table.space_id == space_id)
        .group_by(table.key_id)
        .subquery()
    )
    same = (table.key_id == largest.c.key_id) & (table.size == largest.c.size)
    query = select(table.key_id, table.size, table.at).join(largest, same).where(table.space_id == space_id)
    return {key_id: (size, at) for key_id, size, at in connection.execute(query)}


def _witness(row: Row[tuple[object, ...]], newest: Mapping[str, tuple[int, int]]) -> Witness:
    size, seen_at = newest.get(row.key_id, (None, None))
    return Witness(WitnessKey(row.name, bytes(row.public)), row.added_at, size, seen_at)


def add(tx: Tx, key: WitnessKey, by: str) -> None:
    """A new one, or one that was removed again."""
    row = {"name": key.name, "public": key.raw, "added_at": tx.now, "added_by": by, "removed_at": None}
    mine = (_COLUMNS.space_id == tx.space_id, _COLUMNS.key_id == key.key_id)
    if not tx.write(update(log_witness).where(*mine).values(**row)):
        named = {"space_id": tx.space_id, "key_id": key.key_id, "ordinal": tx.next_ordinal()}
        tx.write(insert(log_witness).values(**named, **row))


def remove(tx: Tx, key_id: str) -> bool:
    """False when there is none."""
    mine = (_COLUMNS.space_id == tx.space_id, _COLUMNS.key_id == key_id, _COLUMNS.removed_at.is_(None))
    return bool(tx.write(update(log_witness).where(*mine).values(removed_at=tx.now)))


def note_of(connection: Connection, space_id: str, size: int) -> str | None:
    """The checkpoint of that size as it was signed, if it is kept."""
    table = log_checkpoint.c
    mine = (table.space_id == space_id, table.size == size)
    return connection.scalar(select(table.note).where(*mine))


def keep(tx: Tx, size: int, said: Cosignature) -> None:
    """In the place of an earlier one of the same witness."""
    table = log_cosignature.c
    mine = (table.space_id == tx.space_id, table.size == size, table.key_id == said.key.key_id)
    before = tx.first(select(table.at).where(*mine))
    if before is None:
        named = {"space_id": tx.space_id, "size": size, "key_id": said.key.key_id}
        tx.write(insert(log_cosignature).values(**named, at=said.at, line=said.line))
    elif before.at < said.at:
        tx.write(update(log_cosignature).where(*mine).values(at=said.at, line=said.line))


def lines(connection: Connection, space_id: str, size: int) -> list[str]:
    """The cosignatures of a checkpoint, as lines of its note, in the order of the witnesses' names."""
    table = log_cosignature.c
    mine = (table.space_id == space_id, table.size == size)
    query = select(table.line).where(*mine).order_by(table.key_id)
    return list(connection.scalars(query))


def drop_without_checkpoint(tx: Tx) -> None:
    """Cosignatures of checkpoints that are not kept any more."""
    table = log_cosignature.c
    kept = select(log_checkpoint.c.size).where(log_checkpoint.c.space_id == tx.space_id)
    tx.write(delete(log_cosignature).where(table.space_id == tx.space_id, table.size.not_in(kept)))
