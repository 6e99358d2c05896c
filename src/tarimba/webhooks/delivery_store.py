"""SQL of deliveries: planning them for events, finding what is due, leasing, settling, tidying."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
)

from tarimba.storage import Tx
from tarimba.storage.tables import outbox, space, webhook, webhook_delivery, webhook_mark
from tarimba.webhooks.model import SENDING, Due, Event, Outcome, Webhook
from tarimba.webhooks.store import EVENT, JOINED, OF_EVENT, WEBHOOK, event_of, webhook_of

_OTHER: Final = webhook_delivery.alias("other")
_IS_SENDING: Final = webhook.c.state.in_(SENDING)
_IS_DUE: Final = and_(
    webhook_delivery.c.state == "pending",
    webhook_delivery.c.next_at <= bindparam("now"),
    or_(webhook_delivery.c.leased_until.is_(None), webhook_delivery.c.leased_until <= bindparam("now")),
)
# An earlier event of the same subject waits, or another one of it is on its way.
_IS_BEHIND: Final = exists().where(
    _OTHER.c.space_id == webhook_delivery.c.space_id,
    _OTHER.c.webhook_id == webhook_delivery.c.webhook_id,
    _OTHER.c.state == "pending",
    _OTHER.c.subject == webhook_delivery.c.subject,
    or_(
        _OTHER.c.ordinal < webhook_delivery.c.ordinal,
        and_(
            _OTHER.c.ordinal > webhook_delivery.c.ordinal,
            _OTHER.c.leased_until.is_not(None),
            _OTHER.c.leased_until > bindparam("now"),
        ),
    ),
)
_UNPLANNED: Final = (
    select(webhook.c.space_id, webhook.c.webhook_id)
    .join_from(webhook, webhook_mark, JOINED)
    .where(
        _IS_SENDING,
        exists().where(
            outbox.c.space_id == webhook_mark.c.space_id, outbox.c.ordinal > webhook_mark.c.planned_until
        ),
    )
)
_WITH_DUE: Final = (
    select(*WEBHOOK)
    .join_from(webhook, webhook_mark, JOINED)
    .where(
        _IS_SENDING,
        exists().where(
            webhook_delivery.c.space_id == webhook.c.space_id,
            webhook_delivery.c.webhook_id == webhook.c.webhook_id,
            _IS_DUE,
        ),
    )
)
# A space's first event is its oldest: times never go back along the ordinals.
_WITH_OLD: Final = select(space.c.space_id).where(
    select(outbox.c.created_at)
    .where(outbox.c.space_id == space.c.space_id)
    .order_by(outbox.c.ordinal)
    .limit(1)
    .scalar_subquery()
    <= bindparam("before")
)
_WITH_REMAINS: Final = select(webhook.c.space_id, webhook.c.webhook_id).where(
    webhook.c.state == "removed",
    exists().where(
        webhook_delivery.c.space_id == webhook.c.space_id,
        webhook_delivery.c.webhook_id == webhook.c.webhook_id,
    ),
)


def unplanned(connection: Connection) -> list[tuple[str, str]]:
    """Space and id of the webhooks that have not looked at every event yet, in all spaces."""
    return [(row.space_id, row.webhook_id) for row in connection.execute(_UNPLANNED)]


def events_after(connection: Connection, space_id: str, ordinal: int, limit: int) -> list[tuple[Event, str]]:
    """Events behind an ordinal, oldest first, each with its subject."""
    query: Select[Any] = select(*EVENT, outbox.c.subject).where(
        outbox.c.space_id == space_id, outbox.c.ordinal > ordinal
    )
    rows = connection.execute(query.order_by(outbox.c.ordinal).limit(limit)).all()
    return [(event_of(row), row.subject) for row in rows]


def plan(tx: Tx, webhook_id: str, events: Sequence[tuple[Event, str]]) -> None:
    rows = [
        {
            "space_id": tx.space_id,
            "webhook_id": webhook_id,
            "ordinal": event.ordinal,
            "subject": subject,
            "state": "pending",
            "attempts": 0,
            "since": tx.now,
            "next_at": tx.now,
        }
        for event, subject in events
    ]
    if rows:
        tx.write(insert(webhook_delivery), rows)


def with_due(connection: Connection, now: int) -> list[Webhook]:
    """Webhooks of all spaces for which something may be sent now."""
    return [webhook_of(row) for row in connection.execute(_WITH_DUE, {"now": now})]


def due(
    connection: Connection, of: Webhook, now: int, limit: int, among: Sequence[int] | None = None
) -> list[Event]:
    """What may be sent now: the longest waiting first, of each subject one at most."""
    query = _of(of.space_id, of.webhook_id).where(_IS_DUE, ~_IS_BEHIND)
    if among is not None:
        query = query.where(webhook_delivery.c.ordinal.in_(among))
    query = query.order_by(webhook_delivery.c.next_at, webhook_delivery.c.ordinal).limit(limit)
    return [event_of(row) for row in connection.execute(query, {"now": now})]


def lease(tx: Tx, webhook_id: str, ordinals: Sequence[int], until: int) -> None:
    mine = _mine(tx, webhook_id)
    tx.write(
        update(webhook_delivery)
        .where(*mine, webhook_delivery.c.ordinal.in_(ordinals))
        .values(leased_until=until)
    )


def held(tx: Tx, one: Due) -> tuple[int, int] | None:
    """Attempts and `since` of a delivery that is still in the hands of who leased it."""
    columns = webhook_delivery.c
    row = tx.first(
        select(columns.attempts, columns.since).where(
            *_mine(tx, one.webhook.webhook_id),
            columns.ordinal == one.event.ordinal,
            columns.state == "pending",
            columns.leased_until == one.leased_until,
        )
    )
    return (row.attempts, row.since) if row else None


def settle(tx: Tx, one: Due, outcome: Outcome, values: Mapping[str, Any]) -> None:
    """Stores what an attempt came to, with the delivery and with its webhook."""
    told = {"last_at": tx.now, "last_status": outcome.status, "last_problem": outcome.problem}
    mine = (*_mine(tx, one.webhook.webhook_id), webhook_delivery.c.ordinal == one.event.ordinal)
    tx.write(update(webhook_delivery).where(*mine).values(leased_until=None, **told, **values))
    mark(tx, one.webhook.webhook_id, told)


def mark(tx: Tx, webhook_id: str, values: Mapping[str, Any]) -> None:
    mine = (webhook_mark.c.space_id == tx.space_id, webhook_mark.c.webhook_id == webhook_id)
    tx.write(update(webhook_mark).where(*mine).values(**values))


def with_old_events(connection: Connection, before: int) -> list[str]:
    """Spaces whose oldest event is of that time or earlier."""
    return [row.space_id for row in connection.execute(_WITH_OLD, {"before": before})]


def old_events(tx: Tx, before: int, limit: int) -> list[int]:
    """Ordinals of events of that time or earlier for which no webhook that sends waits any more."""
    waiting = exists().where(
        OF_EVENT,
        webhook_delivery.c.state == "pending",
        webhook.c.space_id == webhook_delivery.c.space_id,
        webhook.c.webhook_id == webhook_delivery.c.webhook_id,
        _IS_SENDING,
    )
    unseen = exists().where(
        JOINED, webhook.c.space_id == outbox.c.space_id, _IS_SENDING,
        webhook_mark.c.planned_until < outbox.c.ordinal,
    )  # fmt: skip
    query = select(outbox.c.ordinal).where(outbox.c.space_id == tx.space_id, outbox.c.created_at <= before)
    rows = tx.all(query.where(~waiting, ~unseen).order_by(outbox.c.ordinal).limit(limit))
    return [row.ordinal for row in rows]


def forget(tx: Tx, ordinals: Sequence[int]) -> None:
    """Deletes events and what became of them."""
    ids = select(webhook.c.webhook_id).where(webhook.c.space_id == tx.space_id)
    mine = (webhook_delivery.c.space_id == tx.space_id, webhook_delivery.c.webhook_id.in_(ids))
    tx.write(delete(webhook_delivery).where(*mine, webhook_delivery.c.ordinal.in_(ordinals)))
    tx.write(delete(outbox).where(outbox.c.space_id == tx.space_id, outbox.c.ordinal.in_(ordinals)))


def with_remains(connection: Connection) -> list[tuple[str, str]]:
    """Space and id of the removed webhooks that still have deliveries."""
    return [(row.space_id, row.webhook_id) for row in connection.execute(_WITH_REMAINS)]


def forget_remains(tx: Tx, webhook_id: str, limit: int) -> None:
    mine = _mine(tx, webhook_id)
    rows = tx.all(select(webhook_delivery.c.ordinal).where(*mine).limit(limit))
    ordinals = [row.ordinal for row in rows]
    tx.write(delete(webhook_delivery).where(*mine, webhook_delivery.c.ordinal.in_(ordinals)))


def _of(space_id: str, webhook_id: str) -> Select[Any]:
    return (
        select(*EVENT)
        .join_from(webhook_delivery, outbox, OF_EVENT)
        .where(webhook_delivery.c.space_id == space_id, webhook_delivery.c.webhook_id == webhook_id)
    )


def _mine(tx: Tx, webhook_id: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return webhook_delivery.c.space_id == tx.space_id, webhook_delivery.c.webhook_id == webhook_id
