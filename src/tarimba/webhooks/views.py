"""The JSON of webhooks, deliveries and notifications."""

from __future__ import annotations

import json
from typing import Any, NotRequired

from typing_extensions import TypedDict

from tarimba.clock import rfc3339
from tarimba.webhooks.model import Delivery, Event, Webhook


class WebhookView(TypedDict):
    """`secret` is only in the answer that made it, and null when that answer is asked for again.

    `old_secret_until`: until then the secret before this one signs too. `last_...` are of the last answer.
    """

    webhook_id: str
    url: str
    events: list[str]
    state: str
    created_at: str
    created_by: str
    old_secret_until: str | None
    last_at: str | None
    last_status: int | None
    last_problem: str | None
    secret: NotRequired[str | None]


class WebhooksView(TypedDict):
    items: list[WebhookView]
    next_cursor: NotRequired[str]


class RemovedWebhookView(TypedDict):
    webhook_id: str


class DeliveryView(TypedDict):
    """`next_at` is null unless the delivery is pending. `last_...` are of its last attempt."""

    event_id: str
    type: str
    state: str
    attempts: int
    created_at: str
    next_at: str | None
    last_at: str | None
    last_status: int | None
    last_problem: str | None


class DeliveriesView(TypedDict):
    items: list[DeliveryView]
    next_cursor: NotRequired[str]


class NotificationView(TypedDict):
    """`tenant` is the space."""

    id: str
    type: str
    tenant: str
    created_at: str
    data: dict[str, Any]


class NotificationsView(TypedDict):
    """`next_cursor` is always there: with nothing new it stays where it was."""

    items: list[NotificationView]
    next_cursor: str


def webhook_view(one: Webhook) -> WebhookView:
    return {
        "webhook_id": one.webhook_id,
        "url": one.url,
        "events": list(one.events),
        "state": one.state,
        "created_at": rfc3339(one.created_at),
        "created_by": one.created_by,
        "old_secret_until": _moment(one.old_until),
        "last_at": _moment(one.last_at),
        "last_status": one.last_status,
        "last_problem": one.last_problem,
    }


def delivery_view(one: Delivery) -> DeliveryView:
    return {
        "event_id": one.event.event_id,
        "type": one.event.type,
        "state": one.state,
        "attempts": one.attempts,
        "created_at": rfc3339(one.event.created_at),
        "next_at": rfc3339(one.next_at) if one.state == "pending" else None,
        "last_at": _moment(one.last_at),
        "last_status": one.last_status,
        "last_problem": one.last_problem,
    }


def notification_view(event: Event, space_id: str) -> NotificationView:
    return {
        "id": event.event_id,
        "type": event.type,
        "tenant": space_id,
        "created_at": rfc3339(event.created_at),
        "data": json.loads(event.data),
    }


def _moment(at: int | None) -> str | None:
    return None if at is None else rfc3339(at)
