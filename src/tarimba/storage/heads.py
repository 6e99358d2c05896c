"""The head row of a space: taken first by every receipted transaction, written last.

These statements run once for each commit and space. They use the driver's own parameters through
`exec_driver_sql`: compiled expressions cost three times as much here.
"""

from __future__ import annotations

from sqlalchemy import Connection

from tarimba.clock import Clock
from tarimba.errors import not_found
from tarimba.storage.transactions import Head

_COLUMNS = "generation, size, counter, last_at, frontier"
# Only constants of this module are put into the texts below; every value is a parameter.
_SQLITE = {
    "lock": f"UPDATE space_head SET last_at = max(last_at, ?) WHERE space_id = ? RETURNING {_COLUMNS}",  # noqa: S608
    "flush": "UPDATE space_head SET generation = ?, size = ?, counter = ?, frontier = ?, seal = ? WHERE space_id = ?",
    "bundle": "INSERT INTO receipt_bundle (space_id, first_seq, count, hashes, entries) VALUES (?, ?, ?, ?, ?)",
}
# PostgreSQL's own clock: servers on several hosts share one, so a space's time does not depend on the host.
_POSTGRES = {
    "lock": "UPDATE space_head SET last_at = greatest(last_at, "  # noqa: S608
    "(extract(epoch from clock_timestamp()) * 1000000)::bigint + %s) "
    f"WHERE space_id = %s RETURNING {_COLUMNS}",
    "flush": _SQLITE["flush"].replace("?", "%s"),
    "bundle": _SQLITE["bundle"].replace("?", "%s"),
}


def lock_head(connection: Connection, space_id: str, clock: Clock) -> Head:
    """Takes the lock of the space and reads its numbers. Raises 404 when there is no such space."""
    sqlite = connection.dialect.name == "sqlite"
    moment = clock.now_us() if sqlite else clock.offset_us
    sql = (_SQLITE if sqlite else _POSTGRES)["lock"]
    row = connection.exec_driver_sql(sql, (moment, space_id)).first()
    if row is None:
        raise not_found("space")
    return Head(space_id, row[0], row[1], row[2], row[3], bytes(row[4]))


def flush_head(connection: Connection, head: Head, first_seq: int, frontier: bytes, seal: bytes) -> None:
    """Writes the batch's receipts as one bundle and the head's new numbers."""
    names = _SQLITE if connection.dialect.name == "sqlite" else _POSTGRES
    if head.entries:
        hashes = b"".join(entry.leaf for entry in head.entries)
        stored = b"\n".join(entry.stored for entry in head.entries)
        values = (head.space_id, first_seq, len(head.entries), hashes, stored)
        connection.exec_driver_sql(names["bundle"], values)
    numbers = (head.generation, head.size, head.counter, frontier, seal, head.space_id)
    connection.exec_driver_sql(names["flush"], numbers)
