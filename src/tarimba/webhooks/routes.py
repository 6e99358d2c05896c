"""`/v1/admin/webhooks` and `/v1/notifications`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tarimba.http.route import Answer, Call, Route
from tarimba.identity.changes import receipt_of
from tarimba.identity.listing import Window
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.storage.once import Done
from tarimba.webhooks import feed, managing, views
from tarimba.webhooks.requests import (
    DeliveriesQuery,
    ListQuery,
    NotificationsQuery,
    WebhookBody,
    WebhookPatch,
)
from tarimba.webhooks.store import DeliveryWindow

_TAG: Final = "webhooks"
_LISTS: Final = "Administration lists hold no content of agents or customers."
_IDS: Final = "Events hold ids, codes and counts, no content."


def _list(kernel: Kernel, call: Call) -> Answer:
    after = _place(kernel, call, "webhooks") or 0
    page = managing.list_webhooks(kernel, call.principal, Window(call.query.limit, after))
    return _page(kernel, call, "webhooks", [views.webhook_view(one) for one in page.items], page.ends_at)


def _add(kernel: Kernel, call: Call) -> Answer:
    body: WebhookBody = call.body
    made = managing.add(kernel, call.principal, body.url, tuple(body.events or ()), call.once)
    return _secret(kernel, call, made)


def _change(kernel: Kernel, call: Call) -> Answer:
    body: WebhookPatch = call.body
    done = managing.change(kernel, call.principal, call.path["webhook_id"], body.change(), call.once)
    return _changed(kernel, call, done)


def _remove(kernel: Kernel, call: Call) -> Answer:
    done = managing.remove(kernel, call.principal, call.path["webhook_id"], call.once)
    return Answer({"webhook_id": done.ids["webhook_id"]}, done.status, receipt_of(done))


def _rotate(kernel: Kernel, call: Call) -> Answer:
    return _secret(kernel, call, managing.rotate(kernel, call.principal, call.path["webhook_id"], call.once))


def _deliveries(kernel: Kernel, call: Call) -> Answer:
    webhook_id, query = call.path["webhook_id"], call.query
    name = f"deliveries of {webhook_id} {query.state}"
    window = DeliveryWindow(query.limit, _place(kernel, call, name), query.state)
    items, ends_at = managing.list_deliveries(kernel, call.principal, webhook_id, window)
    return _page(kernel, call, name, [views.delivery_view(one) for one in items], ends_at)


def _redeliver(kernel: Kernel, call: Call) -> Answer:
    path = call.path
    done, again = managing.redeliver(kernel, call.principal, path["webhook_id"], path["event_id"], call.once)
    return Answer(views.delivery_view(again), done.status, receipt_of(done))


def _notifications(kernel: Kernel, call: Call) -> Answer:
    after = _place(kernel, call, "notifications") or 0
    found = feed.events(kernel, call.principal, Window(call.query.limit, after))
    space_id = call.principal.space_id
    items = [views.notification_view(event, space_id) for event in found]
    return _page(kernel, call, "notifications", items, found[-1].ordinal if found else after)


def _place(kernel: Kernel, call: Call, name: str) -> int | None:
    cursor = call.query.cursor
    key = kernel.keys.of(call.principal.space_id)
    return read_cursor(key, _scope(call, name), cursor) if cursor is not None else None


def _page(kernel: Kernel, call: Call, name: str, items: list[Any], ends_at: int | None) -> Answer:
    content: dict[str, Any] = {"items": items}
    if ends_at is not None:
        key = kernel.keys.of(call.principal.space_id)
        content["next_cursor"] = write_cursor(key, _scope(call, name), ends_at)
    return Answer(content)


def _scope(call: Call, name: str) -> str:
    return f"{name}\0{call.principal.id}"


def _changed(kernel: Kernel, call: Call, done: Done, more: Mapping[str, Any] | None = None) -> Answer:
    found = managing.read_webhook(kernel, call.principal, done.ids["webhook_id"])
    return Answer({**views.webhook_view(found), **(more or {})}, done.status, receipt_of(done))


def _secret(kernel: Kernel, call: Call, made: managing.Secret) -> Answer:
    return _changed(kernel, call, made.done, {"secret": made.shown})


_ALL: Final = "/v1/admin/webhooks"
_ONE: Final = f"{_ALL}/{{webhook_id}}"
_RECEIPT: Final = "webhook.change"
ROUTES: Final = (
    Route(
        "GET", _ALL, _list, "List webhooks", _TAG, None, _LISTS,
        query=ListQuery, answer=views.WebhooksView,
    ),
    Route(
        "POST", _ALL, _add, "Add a webhook", _TAG, _RECEIPT,
        body=WebhookBody, answer=views.WebhookView, statuses=(201,), idempotent=True,
    ),
    Route(
        "PATCH", _ONE, _change, "Change a webhook, turn it off or on", _TAG, _RECEIPT,
        body=WebhookPatch, answer=views.WebhookView, idempotent=True,
    ),
    Route(
        "DELETE", _ONE, _remove, "Remove a webhook", _TAG, _RECEIPT,
        answer=views.RemovedWebhookView, idempotent=True,
    ),
    Route(
        "POST", f"{_ONE}/rotate", _rotate, "Make a new secret", _TAG, _RECEIPT,
        answer=views.WebhookView, idempotent=True,
    ),
    Route(
        "GET", f"{_ONE}/deliveries", _deliveries, "List deliveries, newest first", _TAG, None, _IDS,
        query=DeliveriesQuery, answer=views.DeliveriesView,
    ),
    Route(
        "POST", f"{_ONE}/deliveries/{{event_id}}/redeliver", _redeliver, "Send an event again", _TAG, _RECEIPT,
        answer=views.DeliveryView, statuses=(202,), idempotent=True,
    ),
    Route(
        "GET", "/v1/notifications", _notifications, "Read the stream of events, oldest first", _TAG, None, _IDS,
        query=NotificationsQuery, answer=views.NotificationsView,
    ),
)  # fmt: skip
