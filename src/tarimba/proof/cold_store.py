"""SQL of moving receipts to cold storage."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select

from tarimba.receipts.cold import ColdFile
from tarimba.receipts.merkle import HASH_SIZE
from tarimba.receipts.tiles import WIDTH
from tarimba.storage import Tx
from tarimba.storage.tables import log_checkpoint, log_cold, receipt_bundle

_SPACES = 100
_ROWS = receipt_bundle.c


def spaces_with_tiles(connection: Connection) -> list[str]:
    """The spaces that have a full tile in the database behind their last checkpoint."""
    cold, signed = log_cold.c, log_checkpoint.c
    end = func.coalesce(func.max(cold.first_seq + cold.count), 0)
    moved = select(end).where(cold.space_id == signed.space_id).scalar_subquery()
    query = select(signed.space_id).group_by(signed.space_id).having(func.max(signed.size) >= moved + WIDTH)
    return list(connection.scalars(query.order_by(signed.space_id).limit(_SPACES)))


def end(connection: Connection, space_id: str) -> int:
    """The place of the first receipt that is in the database."""
    columns = log_cold.c
    query = select(func.max(columns.first_seq + columns.count)).where(columns.space_id == space_id)
    return connection.scalar(query) or 0


def add(tx: Tx, file: ColdFile) -> None:
    row = {name: getattr(file, name) for name in ("first_seq", "count", "name", "size", "digest")}
    tx.write(insert(log_cold).values(space_id=tx.space_id, moved_at=tx.now, **row))


def take_out(tx: Tx, file: ColdFile, leaves: bytes) -> bool:
    """Deletes the rows of a tile; of one that goes on behind it the rest stays, as a row of its own.

    False, and nothing is done, when the rows do not have just these leaves.
    """
    end_of_file = file.first_seq + file.count
    mine: list[ColumnElement[bool]] = [_ROWS.space_id == tx.space_id, _ROWS.first_seq >= file.first_seq]
    mine.append(_ROWS.first_seq < end_of_file)
    rows = tx.all(select(_ROWS.first_seq, _ROWS.hashes).where(*mine).order_by(_ROWS.first_seq))
    stored = b"".join(bytes(row.hashes) for row in rows)
    if not rows or rows[0].first_seq != file.first_seq or stored[: len(leaves)] != leaves:
        return False
    rest = _rest(tx, rows[-1].first_seq, end_of_file)
    tx.write(delete(receipt_bundle).where(*mine))
    if rest is not None:
        tx.write(insert(receipt_bundle).values(**rest))
    return True


def _rest(tx: Tx, first_seq: int, start: int) -> dict[str, Any] | None:
    """What the row that begins at `first_seq` has from `start` on."""
    query = select(receipt_bundle).where(_ROWS.space_id == tx.space_id, _ROWS.first_seq == first_seq)
    row: Row[Any] | None = tx.first(query)
    assert row is not None
    lines = bytes(row.entries).split(b"\n")[start - first_seq :]
    if not lines:
        return None
    hashes = bytes(row.hashes)[(start - first_seq) * HASH_SIZE :]
    named = {"space_id": tx.space_id, "first_seq": start, "count": len(lines)}
    return named | {"hashes": hashes, "entries": b"\n".join(lines)}
