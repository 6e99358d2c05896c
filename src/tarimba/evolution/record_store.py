"""SQL of finished tasks: how far they were read, what they came to, what many of them have in common."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, exists, func, insert, select, update

from tarimba.evolution.model import Habit, RoundWish, TaskRecord
from tarimba.evolution.rules import SEEN_MIN, SUCCESS_TENTHS
from tarimba.ids import new_id
from tarimba.storage import Tx
from tarimba.storage.tables import conversation, evolution_mark, skill_draft, space, task_record

_M: Final = evolution_mark.c
_R: Final = task_record.c
_D: Final = skill_draft.c
_NOTHING: Final = "[]"
# States after which a person may ask for another draft of the same.
_ENDED: Final = ("refused", "quarantined")

_READ_UNTIL: Final = func.coalesce(_M.read_until, 0)
_UNREAD: Final = (
    select(space.c.space_id, _READ_UNTIL.label("read_until"))
    .select_from(space.outerjoin(evolution_mark, _M.space_id == space.c.space_id))
    .where(
        exists().where(
            conversation.c.space_id == space.c.space_id,
            conversation.c.kind == "task",
            conversation.c.ended > _READ_UNTIL,
        )
    )
    .limit(bindparam("most"))
)
_MARK: Final = select(_M.read_until, _M.tasks_since).where(_M.space_id == bindparam("of"))
_OPERATIONS: Final = (
    select(_R.operations)
    .where(_R.space_id == bindparam("of"), _R.source_id == bindparam("by"))
    .where(_R.signature == bindparam("which"))
    .limit(1)
)


def unread(connection: Connection, most: int) -> list[tuple[str, int]]:
    """Spaces in which tasks have ended since they were read, each with the ordinal up to which it was."""
    return [(row.space_id, row.read_until) for row in connection.execute(_UNREAD, {"most": most})]


def read_until(connection: Connection, space_id: str) -> int:
    """The ordinal up to which the space is read."""
    row = connection.execute(_MARK, {"of": space_id}).first()
    return int(row.read_until) if row else 0


def mark(tx: Tx) -> tuple[int, int]:
    """How far the space is read, and how many tasks were recorded since a round was last due."""
    row = tx.first(_MARK, {"of": tx.space_id})
    return (row.read_until, row.tasks_since) if row else (0, 0)


def move_mark(tx: Tx, **values: int) -> None:
    """Stores columns of the mark of the space; those not named begin with 0."""
    mine = update(evolution_mark).where(_M.space_id == tx.space_id)
    if not tx.write(mine.values(**values)):
        row = {"space_id": tx.space_id, "read_until": 0, "round_at": 0, "tasks_since": 0}
        tx.write(insert(evolution_mark), [row | values])


def add(tx: Tx, records: Sequence[TaskRecord]) -> None:
    """Appends what tasks came to, in the order of their ends."""
    rows = [
        {
            "space_id": tx.space_id,
            "record_id": new_id(),
            "source_id": one.source_id,
            "task_mac": one.task_mac,
            "signature": one.signature,
            "operations": json.dumps(one.operations),
            "succeeded": int(one.succeeded),
            "duration_ms": one.duration_ms,
            "at": tx.now,
            "ordinal": tx.next_ordinal(),
        }
        for one in records
    ]
    if rows:
        tx.write(insert(task_record), rows)


def habits(connection: Connection, space_id: str, wish: RoundWish, most: int) -> list[Habit]:
    """What an agent did often enough, and well enough, that has no draft; most seen first."""
    seen, well = func.count(), func.sum(_R.succeeded)
    query = select(_R.source_id, _R.signature, seen.label("seen"), well.label("well")).where(
        _R.space_id == space_id, _R.operations != _NOTHING, ~_is_drafted(wish)
    )
    if wish.source_id is not None:
        query = query.where(_R.source_id == wish.source_id)
    query = (
        query.group_by(_R.source_id, _R.signature)
        .having(seen >= SEEN_MIN, well * 10 >= seen * SUCCESS_TENTHS)
        .order_by(seen.desc(), func.min(_R.ordinal))
        .limit(most)
    )
    return [
        Habit(row.source_id, row.signature, int(row.seen), int(row.well)) for row in connection.execute(query)
    ]


def still_open(tx: Tx, found: Sequence[Habit], wish: RoundWish) -> list[Habit]:
    """Those of `found` that have no draft now either, and of which records are left."""
    signatures = [one.signature for one in found]
    query = (
        select(_R.source_id, _R.signature)
        .where(_R.space_id == tx.space_id, _R.signature.in_(signatures), ~_is_drafted(wish))
        .distinct()
    )
    left = {(row.source_id, row.signature) for row in tx.all(query)} if found else set()
    return [one for one in found if (one.source_id, one.signature) in left]


def operations_of(connection: Connection, space_id: str, source_id: str, signature: str) -> tuple[str, ...]:
    """What the tasks of this signature did; empty when their records are gone."""
    found = connection.scalar(_OPERATIONS, {"of": space_id, "by": source_id, "which": signature})
    return tuple(json.loads(found)) if found else ()


def _is_drafted(wish: RoundWish) -> Any:
    same = and_(_D.space_id == _R.space_id, _D.source_id == _R.source_id, _D.signature == _R.signature)
    return exists().where(same, _D.state.not_in(_ENDED)) if wish.again else exists().where(same)
