"""SQL of webhooks as administration sees them: the places, and what became of deliveries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, insert, select, update

from tarimba.identity.listing import Page, Window, page_of, rows_of
from tarimba.storage import Tx
from tarimba.storage.tables import outbox, webhook, webhook_delivery, webhook_mark
from tarimba.webhooks.model import Delivery, DeliveryState, Event, Webhook

JOINED: Final = and_(
    webhook.c.space_id == webhook_mark.c.space_id, webhook.c.webhook_id == webhook_mark.c.webhook_id
)
OF_EVENT: Final = and_(
    webhook_delivery.c.space_id == outbox.c.space_id, webhook_delivery.c.ordinal == outbox.c.ordinal
)
EVENT: Final = (outbox.c.event_id, outbox.c.ordinal, outbox.c.type, outbox.c.payload, outbox.c.created_at)
WEBHOOK: Final = (
    *webhook.c,
    webhook_mark.c.planned_until,
    webhook_mark.c.last_at,
    webhook_mark.c.last_status,
    webhook_mark.c.last_problem,
)
_TRIED: Final = (
    webhook_delivery.c.state,
    webhook_delivery.c.attempts,
    webhook_delivery.c.next_at,
    webhook_delivery.c.last_at,
    webhook_delivery.c.last_status,
    webhook_delivery.c.last_problem,
)


@dataclass(frozen=True, slots=True)
class DeliveryWindow:
    """The part of a list of deliveries that is wanted: the newest before an ordinal, of a state or all."""

    limit: int
    before: int | None = None
    state: DeliveryState | None = None


def webhooks(connection: Connection, space_id: str, window: Window) -> Page[Webhook]:
    """Oldest first, without removed ones."""
    rows = rows_of(connection, _present(space_id), webhook.c.ordinal, window)
    return page_of([webhook_of(row) for row in rows], window)


def by_id(connection: Connection, space_id: str, webhook_id: str) -> Webhook | None:
    row = connection.execute(_present(space_id).where(webhook.c.webhook_id == webhook_id)).first()
    return webhook_of(row) if row else None


def count(tx: Tx) -> int:
    query = select(func.count()).select_from(webhook)
    return int(tx.scalar(query.where(webhook.c.space_id == tx.space_id, webhook.c.state != "removed")) or 0)


def add(tx: Tx, new: Webhook) -> None:
    mine = {"space_id": tx.space_id, "webhook_id": new.webhook_id}
    tx.write(
        insert(webhook).values(
            **mine,
            url=new.url,
            events=json.dumps(new.events),
            secret=new.secret,
            state=new.state,
            created_at=new.created_at,
            created_by=new.created_by,
            ordinal=new.ordinal,
        )
    )
    tx.write(insert(webhook_mark).values(**mine, planned_until=new.planned_until))


def change(tx: Tx, webhook_id: str, values: Mapping[str, Any]) -> None:
    tx.write(
        update(webhook).where(webhook.c.space_id == tx.space_id, _is(webhook, webhook_id)).values(**values)
    )


def skip_to(tx: Tx, webhook_id: str, ordinal: int) -> None:
    """What was announced up to `ordinal` is not delivered, unless that is planned already."""
    mine = (webhook_mark.c.space_id == tx.space_id, _is(webhook_mark, webhook_id))
    tx.write(update(webhook_mark).where(*mine).values(planned_until=ordinal))


def deliveries(
    connection: Connection, space_id: str, webhook_id: str, window: DeliveryWindow
) -> tuple[list[Delivery], int | None]:
    """Newest first, and the ordinal of the last one when there are more."""
    query = _deliveries(space_id, webhook_id)
    if window.before is not None:
        query = query.where(webhook_delivery.c.ordinal < window.before)
    if window.state is not None:
        query = query.where(webhook_delivery.c.state == window.state)
    rows = connection.execute(query.order_by(webhook_delivery.c.ordinal.desc()).limit(window.limit + 1)).all()
    shown = [_delivery(row) for row in rows[: window.limit]]
    return shown, shown[-1].event.ordinal if len(rows) > window.limit else None


def delivery_of(connection: Connection, space_id: str, webhook_id: str, event_id: str) -> Delivery | None:
    """The delivery of an event. It reads along the outbox: never under the lock."""
    row = connection.execute(_deliveries(space_id, webhook_id).where(outbox.c.event_id == event_id)).first()
    return _delivery(row) if row else None


def delivery_at(tx: Tx, webhook_id: str, ordinal: int) -> Delivery | None:
    row = tx.first(_deliveries(tx.space_id, webhook_id).where(webhook_delivery.c.ordinal == ordinal))
    return _delivery(row) if row else None


def send_again(tx: Tx, webhook_id: str, ordinal: int) -> None:
    """Makes a delivery due now, as if it were new. One that is on its way stays leased."""
    mine = (
        webhook_delivery.c.space_id == tx.space_id,
        _is(webhook_delivery, webhook_id),
        webhook_delivery.c.ordinal == ordinal,
    )
    values = {"state": "pending", "attempts": 0, "since": tx.now, "next_at": tx.now}
    tx.write(update(webhook_delivery).where(*mine).values(**values))


def webhook_of(row: Row[Any]) -> Webhook:
    return Webhook(
        space_id=row.space_id,
        webhook_id=row.webhook_id,
        url=row.url,
        events=tuple(json.loads(row.events)),
        secret=bytes(row.secret),
        old_secret=bytes(row.old_secret) if row.old_secret is not None else None,
        old_until=row.old_until,
        state=row.state,
        created_at=row.created_at,
        created_by=row.created_by,
        ordinal=row.ordinal,
        planned_until=row.planned_until,
        last_at=row.last_at,
        last_status=row.last_status,
        last_problem=row.last_problem,
    )


def event_of(row: Row[Any]) -> Event:
    return Event(row.event_id, row.ordinal, row.type, row.payload, row.created_at)


def _present(space_id: str) -> Select[Any]:
    return (
        select(*WEBHOOK)
        .join_from(webhook, webhook_mark, JOINED)
        .where(webhook.c.space_id == space_id, webhook.c.state != "removed")
    )


def _deliveries(space_id: str, webhook_id: str) -> Select[Any]:
    return (
        select(*EVENT, *_TRIED)
        .join_from(webhook_delivery, outbox, OF_EVENT)
        .where(webhook_delivery.c.space_id == space_id, _is(webhook_delivery, webhook_id))
    )


def _delivery(row: Row[Any]) -> Delivery:
    tried = (row.state, row.attempts, row.next_at, row.last_at, row.last_status, row.last_problem)
    return Delivery(event_of(row), *tried)


def _is(table: Any, webhook_id: str) -> ColumnElement[bool]:
    same: ColumnElement[bool] = table.c.webhook_id == webhook_id
    return same
