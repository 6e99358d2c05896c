"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class WebhookView(TypedDict):
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
    id: str
    type: str
    tenant: str
    created_at: str
    data: dict[str, Any]


class NotificationsView(TypedDict):
    items: list[NotificationView]
    next_cursor: str
