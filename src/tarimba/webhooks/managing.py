"""Webhooks as people keep them: adding, changing, rotating, removing, looking at deliveries, sending again."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from tarimba import region
from tarimba.errors import Refusal, not_found
from tarimba.identity.changes import commit_change, done, leave
from tarimba.identity.listing import Page, Window
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey
from tarimba.webhooks import rules, signing, store
from tarimba.webhooks.model import Delivery, State, Webhook, secret_label
from tarimba.webhooks.store import DeliveryWindow

__all__ = [
    "DeliveryWindow", "Secret", "WebhookChange", "add", "change", "list_deliveries", "list_webhooks", "read_webhook",
    "redeliver", "remove", "rotate",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Secret:
    """A change that made a secret. `shown` is there only the first time it is asked for."""

    done: Done
    shown: str | None


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """What somebody asks to change; None stays."""

    url: str | None = None
    events: tuple[str, ...] | None = None
    state: State | None = None

    def checked(self, kernel: Kernel) -> dict[str, Any]:
        """The values to store. Raises 422."""
        values: dict[str, Any] = {}
        if self.url is not None:
            values["url"] = rules.checked_url(self.url, _allowed(kernel))
        if self.events is not None:
            values["events"] = json.dumps(rules.checked_events(self.events))
        if self.state is not None:
            values["state"] = self.state
        return values


def list_webhooks(kernel: Kernel, principal: Principal, window: Window) -> Page[Webhook]:
    """Oldest first. Raises 403."""
    allow(principal, "webhooks")
    with kernel.database.read() as connection:
        return store.webhooks(connection, principal.space_id, window)


def read_webhook(kernel: Kernel, principal: Principal, webhook_id: str) -> Webhook:
    """Raises 403 and 404."""
    allow(principal, "webhooks")
    with kernel.database.read() as connection:
        return _there(connection, principal.space_id, webhook_id)


def add(
    kernel: Kernel,
    principal: Principal,
    url: str,
    events: tuple[str, ...] = (),
    once_key: OnceKey | None = None,
) -> Secret:
    """Events from now on go to `url`: those of the types `events`, or all. Ids: `webhook_id`.

    Raises 403, 409 when the space has 20 webhooks, and 422.
    """
    allow(principal, "webhooks")
    checked = rules.checked_url(url, _allowed(kernel)), rules.checked_events(events)
    webhook_id, raw = new_id(), os.urandom(signing.SECRET_BYTES)
    wrapped = kernel.vault.wrap(raw, secret_label(principal.space_id, webhook_id))

    def work(tx: Tx) -> Done:
        kernel.keys.require_present(tx.connection, tx.space_id)
        if store.count(tx) >= rules.WEBHOOKS_MAX:
            raise Refusal("conflict", f"The space has {rules.WEBHOOKS_MAX} webhooks: remove one first.")
        new = _new(tx, principal, webhook_id, checked, wrapped)
        store.add(tx, new)
        detail = {
            "change": "create",
            "events": list(new.events),
            "url": kernel.keys.of(tx.space_id).commit(url),
        }
        return done(
            201, leave(tx, principal, "webhook.change", _object(webhook_id), detail), **_object(webhook_id)
        )

    change = commit_change(kernel, principal, "webhooks", once_key, work)
    return Secret(change, None if change.replayed else signing.shown(raw))


def change(
    kernel: Kernel,
    principal: Principal,
    webhook_id: str,
    wanted: WebhookChange,
    once_key: OnceKey | None = None,
) -> Done:
    """Changes what differs. Turned on again after `off`, it gets what happens from then on. Raises 403, 404, 422."""
    allow(principal, "webhooks")
    checked = wanted.checked(kernel)

    def work(tx: Tx) -> Done:
        before = _there(tx.connection, tx.space_id, webhook_id)
        now = {"url": before.url, "events": json.dumps(before.events), "state": before.state}
        values = {name: value for name, value in checked.items() if value != now[name]}
        if not values:
            return done(200, None, **_object(webhook_id))
        store.change(tx, webhook_id, values)
        if before.state == "off" and values.get("state") == "active":
            store.skip_to(tx, webhook_id, tx.next_ordinal())
        detail: dict[str, Any] = {"change": "update", "fields": sorted(values)}
        if "url" in values:
            detail["url"] = kernel.keys.of(tx.space_id).commit(values["url"])
        if "state" in values:
            detail |= {"old": before.state, "new": values["state"]}
        return done(
            200, leave(tx, principal, "webhook.change", _object(webhook_id), detail), **_object(webhook_id)
        )

    return commit_change(kernel, principal, "webhooks", once_key, work)


def rotate(kernel: Kernel, principal: Principal, webhook_id: str, once_key: OnceKey | None = None) -> Secret:
    """A new secret; the present one signs beside it for 24 hours more. Ids: `webhook_id`. Raises 403 and 404."""
    allow(principal, "webhooks")
    raw = os.urandom(signing.SECRET_BYTES)
    wrapped = kernel.vault.wrap(raw, secret_label(principal.space_id, webhook_id))

    def work(tx: Tx) -> Done:
        kernel.keys.require_present(tx.connection, tx.space_id)
        before = _there(tx.connection, tx.space_id, webhook_id)
        values = {"secret": wrapped, "old_secret": before.secret, "old_until": tx.now + rules.OVERLAP}
        store.change(tx, webhook_id, values)
        detail = {"change": "rotate"}
        return done(
            200, leave(tx, principal, "webhook.change", _object(webhook_id), detail), **_object(webhook_id)
        )

    rotated = commit_change(kernel, principal, "webhooks", once_key, work)
    return Secret(rotated, None if rotated.replayed else signing.shown(raw))


def remove(kernel: Kernel, principal: Principal, webhook_id: str, once_key: OnceKey | None = None) -> Done:
    """Nothing more is sent, and URL and secrets are gone. Ids: `webhook_id`. Raises 403 and 404."""

    def work(tx: Tx) -> Done:
        _there(tx.connection, tx.space_id, webhook_id)
        # The row stays for its id; upkeep deletes what may be a month of deliveries, in pieces.
        values = {"state": "removed", "url": "", "secret": b"", "old_secret": None, "old_until": None}
        store.change(tx, webhook_id, values)
        detail = {"change": "remove"}
        return done(
            200, leave(tx, principal, "webhook.change", _object(webhook_id), detail), **_object(webhook_id)
        )

    return commit_change(kernel, principal, "webhooks", once_key, work)


def list_deliveries(
    kernel: Kernel, principal: Principal, webhook_id: str, window: DeliveryWindow
) -> tuple[list[Delivery], int | None]:
    """Newest first, and the ordinal of the last one when there are more. Raises 403 and 404."""
    allow(principal, "webhooks")
    with kernel.database.read() as connection:
        _there(connection, principal.space_id, webhook_id)
        return store.deliveries(connection, principal.space_id, webhook_id, window)


def redeliver(
    kernel: Kernel, principal: Principal, webhook_id: str, event_id: str, once_key: OnceKey | None = None
) -> tuple[Done, Delivery]:
    """Sends an event again, however it went before: due now, tried like a new one.

    Raises 403, 404 for an event that was not meant for this webhook or is older than 30 days, and 409 when it is off.
    """
    allow(principal, "webhooks")
    seen = _delivery(kernel, principal, webhook_id, event_id)

    def work(tx: Tx) -> Done:
        found = _there(tx.connection, tx.space_id, webhook_id)
        if found.state == "off":
            raise Refusal("conflict", "The webhook is off: turn it on first.")
        if store.delivery_at(tx, webhook_id, seen.event.ordinal) is None:
            raise not_found("delivery")
        store.send_again(tx, webhook_id, seen.event.ordinal)
        ids = _object(webhook_id) | {"event_id": seen.event.event_id}
        return done(202, leave(tx, principal, "webhook.change", ids, {"change": "redeliver"}), **ids)

    again = commit_change(kernel, principal, "webhooks", once_key, work)
    return again, _delivery(kernel, principal, webhook_id, event_id)


def _new(
    tx: Tx, by: Principal, webhook_id: str, checked: tuple[str, tuple[str, ...]], wrapped: bytes
) -> Webhook:
    ordinal = tx.next_ordinal()
    url, events = checked
    return Webhook(
        space_id=tx.space_id,
        webhook_id=webhook_id,
        url=url,
        events=events,
        secret=wrapped,
        old_secret=None,
        old_until=None,
        state="active",
        created_at=tx.now,
        created_by=by.id,
        ordinal=ordinal,
        planned_until=ordinal,
        last_at=None,
        last_status=None,
        last_problem=None,
    )


def _there(connection: Connection, space_id: str, webhook_id: str) -> Webhook:
    found = store.by_id(connection, space_id, webhook_id)
    if found is None:
        raise not_found("webhook")
    return found


def _delivery(kernel: Kernel, principal: Principal, webhook_id: str, event_id: str) -> Delivery:
    with kernel.database.read() as connection:
        _there(connection, principal.space_id, webhook_id)
        found = store.delivery_of(connection, principal.space_id, webhook_id, event_id)
    if found is None:
        raise not_found("delivery")
    return found


def _allowed(kernel: Kernel) -> frozenset[str]:
    return region.hosts_of(kernel.settings.webhook_hosts)


def _object(webhook_id: str) -> dict[str, str]:
    return {"webhook_id": webhook_id}
