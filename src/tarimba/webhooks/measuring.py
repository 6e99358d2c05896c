"""What webhooks still have to be told, over all spaces: counts and times, for who runs the machine."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, and_, func, select

from tarimba.storage.tables import outbox, webhook, webhook_delivery, webhook_mark
from tarimba.webhooks.model import SENDING
from tarimba.webhooks.store import JOINED

_IS_SENDING: Final = webhook.c.state.in_(SENDING)
_DELIVERIES: Final = (
    select(func.count(), func.min(webhook_delivery.c.since))
    .join_from(
        webhook,
        webhook_delivery,
        and_(
            webhook_delivery.c.space_id == webhook.c.space_id,
            webhook_delivery.c.webhook_id == webhook.c.webhook_id,
        ),
    )
    .where(_IS_SENDING, webhook_delivery.c.state == "pending")
)
_UNPLANNED: Final = (
    select(func.count(), func.min(outbox.c.created_at))
    .select_from(webhook.join(webhook_mark, JOINED))
    .join(
        outbox,
        and_(outbox.c.space_id == webhook_mark.c.space_id, outbox.c.ordinal > webhook_mark.c.planned_until),
    )
    .where(_IS_SENDING)
)


def backlog(connection: Connection, now: int) -> tuple[int, int]:
    """Deliveries that are still to be made, and for how long the oldest has been, in microseconds."""
    found = [tuple(connection.execute(query).one()) for query in (_DELIVERIES, _UNPLANNED)]
    oldest = min((since for _, since in found if since is not None), default=now)
    return sum(count for count, _ in found), max(0, now - oldest)
