"""Reading back what was recorded: by the id of a conversation or task, and what tasks have ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, func, or_, select

from tarimba.conversations.model import TURN_KINDS, Answer, FinishedTask, Kind, Link, Record, Turn
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.storage.tables import agent, conversation, conversation_alias, turn

TURNS_MAX: Final = 2000
"""A longer conversation is read from its newest turns."""
ANSWERS_MAX: Final = 500
# A client sends late what it could not send at once. Of equal moments what was recorded first came first.
_HAPPENED: Final = (turn.c.occurred_at, turn.c.ordinal)


def record_of(
    kernel: Kernel, space_id: str, *, kind: Kind, caller_id: str, vendor_id: str, since: int
) -> Record | None:
    """What agents of that vendor recorded since then of the conversation or task of that id or surrogate.

    Of every vendor when the space opens that. None when there is nothing; `since` is in microseconds.
    """
    mac = kernel.keys.of(space_id).commit(caller_id)
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, space_id)
        vendor = None if settings.across_vendors else vendor_id
        found = _conversations(connection, space_id, kind, (mac, caller_id), vendor)
        if not found:
            return None
        refs = [row.conversation_ref for row in found]
        turns = _turns(connection, space_id, kind, refs, since)
    return Record(refs[-1], _link(found), turns) if turns else None


def answers_of(kernel: Kernel, principal: Principal, kind: Kind, caller_id: str) -> tuple[Answer, ...]:
    """When agents of any vendor spoke in that conversation or task, oldest first: the newest 500 turns, no words.

    Leaves no receipt: it tells nothing but places in the log, and whoever looks there leaves one. Raises 403.
    """
    allow(principal, "receipts")
    mac = kernel.keys.of(principal.space_id).commit(caller_id)
    of = turn.c.task_ref if kind == "task" else turn.c.conversation_ref
    with kernel.database.read() as connection:
        found = _conversations(connection, principal.space_id, kind, (mac, caller_id), None)
        mine = (turn.c.space_id == principal.space_id, of.in_([row.conversation_ref for row in found]))
        query = select(turn.c.source_id, turn.c.occurred_at, turn.c.recorded_at, turn.c.read_receipt_id)
        query = query.where(*mine, turn.c.role == "ai_agent", turn.c.kind.in_(TURN_KINDS))
        rows = connection.execute(query.order_by(*(one.desc() for one in _HAPPENED)).limit(ANSWERS_MAX)).all()
    # A client's clock may be ahead of ours: nothing was said after it was recorded.
    return tuple(
        Answer(row.source_id, min(row.occurred_at, row.recorded_at), row.read_receipt_id)
        for row in reversed(rows)
    )


def are_kept(connection: Connection, space_id: str, turn_ids: Sequence[str]) -> bool:
    """Whether all of these turns, of one record, are still there."""
    mine = (turn.c.space_id == space_id, turn.c.turn_id.in_(turn_ids))
    return connection.scalar(select(func.count()).select_from(turn).where(*mine)) == len(turn_ids)


def finished_tasks(
    connection: Connection, space_id: str, after_ordinal: int, limit: int
) -> list[FinishedTask]:
    """Tasks whose mark of the end stands behind that ordinal, in the order of the marks."""
    query = (
        select(conversation)
        .where(
            conversation.c.space_id == space_id,
            conversation.c.kind == "task",
            conversation.c.ended > after_ordinal,
        )
        .order_by(conversation.c.ended)
        .limit(limit)
    )
    return [_finished(row) for row in connection.execute(query)]


def operations_of(connection: Connection, space_id: str, task: FinishedTask) -> list[str]:
    """The operations of a task's actions, in the order in which they happened."""
    query = (
        select(turn.c.operation)
        .where(
            turn.c.space_id == space_id,
            turn.c.task_ref == task.task_ref,
            turn.c.kind == "action",
            turn.c.operation.is_not(None),
        )
        .order_by(*_HAPPENED)
        .limit(TURNS_MAX)
    )
    return list(connection.scalars(query))


def _conversations(
    connection: Connection, space_id: str, kind: Kind, ids: tuple[str, str], vendor_id: str | None
) -> Sequence[Row[Any]]:
    """Rows of one conversation, one for each agent that told of it, oldest first; `ids` are its MAC and its id."""
    mac, caller_id = ids
    by_alias = select(conversation_alias.c.conversation_ref).where(
        conversation_alias.c.space_id == space_id, conversation_alias.c.mac == mac
    )
    named = or_(
        conversation.c.mac == mac,
        conversation.c.caller_id == caller_id,
        conversation.c.conversation_ref.in_(by_alias),
    )
    query = select(conversation).where(
        conversation.c.space_id == space_id, conversation.c.kind == kind, named
    )
    if vendor_id is not None:
        theirs = and_(
            agent.c.space_id == conversation.c.space_id, agent.c.source_id == conversation.c.source_id
        )
        query = query.join(agent, theirs).where(agent.c.vendor_id == vendor_id)
    return connection.execute(query.order_by(conversation.c.ordinal)).all()


def _turns(
    connection: Connection, space_id: str, kind: Kind, refs: Sequence[str], since: int
) -> tuple[Turn, ...]:
    of = turn.c.task_ref if kind == "task" else turn.c.conversation_ref
    query = (
        select(turn)
        .where(
            turn.c.space_id == space_id,
            of.in_(refs),
            turn.c.kind.in_(TURN_KINDS),
            turn.c.occurred_at >= since,
        )
        .order_by(*(column.desc() for column in _HAPPENED))
        .limit(TURNS_MAX)
    )
    return tuple(_turn(row) for row in reversed(connection.execute(query).all()))


def _link(rows: Sequence[Row[Any]]) -> Link:
    links = {row.link for row in rows}
    for link in ("unconfirmed", "confirmed"):
        if link in links:
            return link
    return "none"


def _turn(row: Row[Any]) -> Turn:
    objects = tuple((one["type"], one["namespace"]) for one in json.loads(row.objects or "[]"))
    texts = (row.text, row.operation, row.result, row.purpose)
    return Turn(row.turn_id, row.ordinal, row.kind, row.role, row.channel, *texts, objects, row.occurred_at)


def _finished(row: Row[Any]) -> FinishedTask:
    succeeded = None if row.succeeded is None else bool(row.succeeded)
    return FinishedTask(
        row.source_id, row.conversation_ref, row.mac, row.ended, succeeded, row.started_at, row.ended_at
    )
