"""Under the lock of a space: planning deliveries, taking them in hand, and storing what came of them."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from tarimba.clock import DAY, SECOND
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.webhooks import delivery_store, rules, store
from tarimba.webhooks.model import SENDING, Due, Outcome, State, Webhook

KEPT_FOR: Final = 30 * DAY
PLANNED_AT_ONCE: Final = 200
# Longer than an attempt and the writer's patience together: nobody else takes it while the answer is being stored.
LEASE: Final = 60 * SECOND
_GONE: Final = 410
_WORKER: Final = Actor("system", "worker")


def plan(tx: Tx, webhook_id: str) -> bool:
    """Plans deliveries for the next events. Whether there are more. Two at once plan each event once."""
    found = store.by_id(tx.connection, tx.space_id, webhook_id)
    if found is None or found.state not in SENDING:
        return False
    events = delivery_store.events_after(tx.connection, tx.space_id, found.planned_until, PLANNED_AT_ONCE)
    if not events:
        return False
    delivery_store.plan(tx, webhook_id, [(event, of) for event, of in events if found.wants(event.type)])
    store.skip_to(tx, webhook_id, events[-1][0].ordinal)
    return len(events) == PLANNED_AT_ONCE


def take(kernel: Kernel, seen: Webhook, room: int) -> list[Due]:
    """Leases up to `room` deliveries of a webhook: none that another process has in hand."""
    with kernel.database.read() as connection:
        now = kernel.writer.now(seen.space_id)
        ordinals = [event.ordinal for event in delivery_store.due(connection, seen, now, room)]
    return kernel.writer.commit(seen.space_id, lambda tx: _lease(tx, seen, ordinals)) if ordinals else []


def _lease(tx: Tx, seen: Webhook, ordinals: list[int]) -> list[Due]:
    found = store.by_id(tx.connection, tx.space_id, seen.webhook_id)
    if found is None or found.state not in SENDING:
        return []
    events = delivery_store.due(tx.connection, found, tx.now, len(ordinals), ordinals)
    until = tx.now + LEASE
    delivery_store.lease(tx, found.webhook_id, [event.ordinal for event in events], until)
    return [Due(found, event, until) for event in events]


def settle(tx: Tx, one: Due, outcome: Outcome, dice: float) -> None:
    """Stores what an attempt came to, unless the lease ran out and somebody else has the delivery by now."""
    tried = delivery_store.held(tx, one)
    if tried is None:
        return
    attempts, since = tried[0] + 1, tried[1]
    values: dict[str, Any] = {"attempts": attempts, "state": "delivered"}
    if not outcome.is_delivered:
        wait = None
        if outcome.status != _GONE:
            wait = rules.wait_after(attempts, tx.now - since, dice)
        values["state"] = "failed" if wait is None else "pending"
        values["next_at"] = tx.now + (wait or 0)
    delivery_store.settle(tx, one, outcome, values)
    _follow(tx, one.webhook.webhook_id, outcome, is_given_up=values["state"] == "failed")


def _follow(tx: Tx, webhook_id: str, outcome: Outcome, *, is_given_up: bool) -> None:
    """The webhook's own state after an attempt; each change of it leaves a receipt."""
    found = store.by_id(tx.connection, tx.space_id, webhook_id)
    if found is None or found.state not in SENDING:
        return
    state: State = found.state
    if outcome.is_delivered:
        state = "active"
    elif outcome.status == _GONE:
        state = "off"
    elif is_given_up:
        state = "failing"
    if state != found.state:
        store.change(tx, webhook_id, {"state": state})
        told: dict[str, Any] = {"change": "state", "old": found.state, "new": state}
        told |= {"status": outcome.status, "problem": outcome.problem}
        detail = {name: value for name, value in told.items() if value is not None}
        record(
            tx,
            Receipt("webhook.change", _WORKER, "worker", objects={"webhook_id": webhook_id}, detail=detail),
        )


def tidy(kernel: Kernel) -> bool:
    """Deletes a piece of what is past its time: events of 30 days, deliveries of removed webhooks.

    An event stays while a webhook that sends has not got it and has not been given up on. Whether more may wait.
    """
    before = kernel.clock.now_us() - KEPT_FOR
    with kernel.database.read() as connection:
        spaces = delivery_store.with_old_events(connection, before)
        removed = delivery_store.with_remains(connection)
    counts = [kernel.writer.commit(space_id, partial(_forget_old, before=before)) for space_id in spaces]
    for space_id, webhook_id in removed:
        forget = partial(delivery_store.forget_remains, webhook_id=webhook_id, limit=PLANNED_AT_ONCE)
        kernel.writer.commit(space_id, forget)
    return bool(removed) or any(count == PLANNED_AT_ONCE for count in counts)


def _forget_old(tx: Tx, before: int) -> int:
    ordinals = delivery_store.old_events(tx, before, PLANNED_AT_ONCE)
    if ordinals:
        delivery_store.forget(tx, ordinals)
    return len(ordinals)
