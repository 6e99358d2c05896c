"""SQL of what is kept about proofs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, insert, select, update

from tarimba.ids import new_id
from tarimba.proof.model import Check
from tarimba.storage import Tx
from tarimba.storage.tables import log_check, space_head

CHECKS_KEPT: Final = 20
_COLUMNS: Final = log_check.c


def checks(connection: Connection, space_id: str, limit: int = CHECKS_KEPT) -> list[Check]:
    """Newest first."""
    query = (
        select(log_check).where(_COLUMNS.space_id == space_id).order_by(_COLUMNS.ordinal.desc()).limit(limit)
    )
    return [_check(row) for row in connection.execute(query)]


def check(connection: Connection, space_id: str, check_id: str) -> Check | None:
    mine = (_COLUMNS.space_id == space_id, _COLUMNS.check_id == check_id)
    row = connection.execute(select(log_check).where(*mine)).first()
    return None if row is None else _check(row)


def add_check(tx: Tx, asked_by: str) -> str:
    """A check that begins. Of the older ones the newest stay. Returns its id."""
    check_id = new_id()
    size = tx.scalar(select(space_head.c.size).where(space_head.c.space_id == tx.space_id))
    row = {"space_id": tx.space_id, "check_id": check_id, "asked_by": asked_by, "asked_at": tx.now}
    tx.write(insert(log_check).values(**row, size=size, done=0, ordinal=tx.next_ordinal()))
    old = checks(tx.connection, tx.space_id, CHECKS_KEPT + 1)[CHECKS_KEPT:]
    if old:
        gone = (_COLUMNS.space_id == tx.space_id, _COLUMNS.check_id.in_([one.check_id for one in old]))
        tx.write(delete(log_check).where(*gone))
    return check_id


def reach(tx: Tx, check_id: str, done: int) -> None:
    tx.write(_of(tx, check_id).values(done=done))


def finish(tx: Tx, check_id: str, report: Mapping[str, Any]) -> None:
    tx.write(
        _of(tx, check_id).values(done=report["receipts"], finished_at=tx.now, report=json.dumps(dict(report)))
    )


def _of(tx: Tx, check_id: str) -> Any:
    return update(log_check).where(_COLUMNS.space_id == tx.space_id, _COLUMNS.check_id == check_id)


def _check(row: Row[Any]) -> Check:
    report = None if row.report is None else json.loads(row.report)
    return Check(row.check_id, row.asked_by, row.asked_at, row.size, row.done, row.finished_at, report)
