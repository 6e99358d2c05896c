"""SQL of drafts, and rows as values. No decisions."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from tarimba.evolution.model import Draft, DraftFilter, Habit
from tarimba.ids import new_id
from tarimba.storage import Tx
from tarimba.storage.tables import agent, skill_draft, space, task_record

_D: Final = skill_draft.c
_R: Final = task_record.c
_IN_SPACE: Final = _D.space_id == bindparam("of")
_DID: Final = (
    select(_R.operations)
    .where(_R.space_id == _D.space_id, _R.source_id == _D.source_id, _R.signature == _D.signature)
    .limit(1)
    .scalar_subquery()
)
_DRAFTS: Final = select(skill_draft, _DID.label("operations")).where(_IN_SPACE)
_ONE: Final = _DRAFTS.where(_D.draft_id == bindparam("which"))
_NEWEST: Final = _DRAFTS.where(_D.ordinal < bindparam("before")).order_by(_D.ordinal.desc())
_NAMES: Final = select(_D.name).where(
    _IN_SPACE, _D.source_id == bindparam("by"), _D.state.in_(("pending", "applied"))
)
_SLUGS: Final = (
    select(space.c.slug.label("space"), agent.c.slug.label("agent"))
    .join_from(space, agent, agent.c.space_id == space.c.space_id)
    .where(space.c.space_id == bindparam("of"), agent.c.source_id == bindparam("by"))
)
_SOURCE: Final = select(agent.c.source_id).where(
    agent.c.space_id == bindparam("of"), agent.c.slug == bindparam("slug")
)


def add_candidate(tx: Tx, habit: Habit) -> str:
    """Stores a draft that is yet to be written. Returns its id."""
    draft_id = new_id()
    row = {
        "space_id": tx.space_id,
        "draft_id": draft_id,
        "source_id": habit.source_id,
        "signature": habit.signature,
        "name": "",
        "text": "",
        "writer": "",
        "state": "candidate",
        "seen": habit.seen,
        "succeeded": habit.succeeded,
        "created_at": tx.now,
        "ordinal": tx.next_ordinal(),
    }
    tx.write(insert(skill_draft), [row])
    return draft_id


def settle(tx: Tx, draft_id: str, **values: str | int | None) -> None:
    """Stores columns of a draft."""
    mine = (_D.space_id == tx.space_id, _D.draft_id == draft_id)
    tx.write(update(skill_draft).where(*mine).values(**values))


def find(connection: Connection, space_id: str, draft_id: str) -> Draft | None:
    """One draft, or None."""
    row = connection.execute(_ONE, {"of": space_id, "which": draft_id}).first()
    return _draft(row) if row else None


def newest(
    connection: Connection, space_id: str, wanted: DraftFilter, before: int, limit: int
) -> list[Draft]:
    """Drafts that were made before the ordinal `before`, newest first."""
    columns = ((_D.state, wanted.state), (_D.source_id, wanted.source_id))
    query = _NEWEST.where(*(column == value for column, value in columns if value is not None)).limit(limit)
    return [_draft(row) for row in connection.execute(query, {"of": space_id, "before": before})]


def names_of(connection: Connection, space_id: str, source_id: str) -> frozenset[str]:
    """Names of the agent's drafts that wait for a person or were applied."""
    return frozenset(connection.scalars(_NAMES, {"of": space_id, "by": source_id}))


def slugs(connection: Connection, space_id: str, source_id: str) -> tuple[str, str] | None:
    """The names that folders go by: of the space, and of the agent; None when there is no such agent."""
    row = connection.execute(_SLUGS, {"of": space_id, "by": source_id}).first()
    return (row.space, row.agent) if row else None


def source_of(connection: Connection, space_id: str, slug: str) -> str | None:
    """The id of the agent with this slug, if there is one."""
    found = connection.scalar(_SOURCE, {"of": space_id, "slug": slug})
    return None if found is None else str(found)


def _draft(row: Row[Any]) -> Draft:
    is_shown = row.state != "quarantined" and row.operations
    return Draft(
        draft_id=row.draft_id,
        source_id=row.source_id,
        signature=row.signature,
        name=row.name,
        text=row.text,
        writer=row.writer,
        state=row.state,
        problem=row.problem,
        seen=row.seen,
        succeeded=row.succeeded,
        operations=tuple(json.loads(row.operations)) if is_shown else (),
        created_at=row.created_at,
        decided_at=row.decided_at,
        decided_by=row.decided_by,
        ordinal=row.ordinal,
    )
