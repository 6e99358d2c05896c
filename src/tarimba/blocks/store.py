"""SQL of the block: the notes that an agent may read, and the time of its space."""

from __future__ import annotations

import json

from sqlalchemy import Connection, and_, bindparam, or_, select

from tarimba.blocks.model import Candidate
from tarimba.storage.tables import agent, note_chain, note_version, space_head

_READABLE = (
    select(
        note_version.c.note_id,
        note_version.c.kind,
        note_chain.c.head_version,
        note_chain.c.age,
        note_version.c.tags,
        note_version.c.line,
        note_version.c.line_tokens,
        note_chain.c.valid_until,
    )
    .join_from(
        note_chain,
        note_version,
        and_(
            note_version.c.space_id == note_chain.c.space_id,
            note_version.c.note_id == note_chain.c.head_note_id,
        ),
    )
    .where(
        note_chain.c.space_id == bindparam("space_id"),
        note_chain.c.pool.in_(bindparam("pools", expanding=True)),
        note_chain.c.status == "active",
        or_(note_chain.c.valid_until.is_(None), note_chain.c.valid_until > bindparam("now")),
    )
)
_TASK_SECTION = select(agent.c.task_section).where(
    agent.c.space_id == bindparam("space_id"), agent.c.source_id == bindparam("source_id")
)
_LAST_AT = select(space_head.c.last_at).where(space_head.c.space_id == bindparam("space_id"))


def last_time(connection: Connection, space_id: str) -> int:
    """The last time that the space has given, in microseconds."""
    return int(connection.scalar(_LAST_AT, {"space_id": space_id}) or 0)


def has_task_section(connection: Connection, space_id: str, source_id: str) -> bool:
    """Whether the agent's contexts end with the notes of their task."""
    return bool(connection.scalar(_TASK_SECTION, {"space_id": space_id, "source_id": source_id}))


def candidates(
    connection: Connection, space_id: str, pools: tuple[int, ...], now: int, *, with_tags: bool = True
) -> tuple[list[Candidate], int | None]:
    """The active, unexpired notes of the pools in no order, and the moment when the first of them ends.

    Without `with_tags` they have none: reading them costs as much as the rest, and most reads match none.
    """
    rows = connection.execute(_READABLE, {"space_id": space_id, "pools": list(pools), "now": now}).all()
    found, ends = [], []
    for note_id, kind, version, age, tags, line, tokens, end in rows:
        matched = tuple(json.loads(tags)) if with_tags and tags != "[]" else ()
        found.append(Candidate(note_id, kind, version, age, matched, line, tokens))
        if end is not None:
            ends.append(end)
    return found, min(ends, default=None)
