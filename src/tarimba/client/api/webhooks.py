"""Calls of `client.api.webhooks`."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, Call, Unset, every, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.webhooks_shapes import (
        DeliveriesView,
        DeliveryView,
        NotificationsView,
        NotificationView,
        RemovedWebhookView,
        WebhooksView,
        WebhookView,
    )


class Webhooks:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `webhooks` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def list(self, *, cursor: str | None = None, limit: int | None = None) -> WebhooksView:
        """List webhooks.

        `GET /v1/admin/webhooks`.
        """
        answer: WebhooksView = self._call(
            request("GET", "/v1/admin/webhooks", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each(self, *, limit: int | None = None) -> Iterator[WebhookView]:
        """Every entry of `list`, page by page."""
        return every(lambda cursor: self.list(limit=limit, cursor=cursor), "items")

    def create(
        self, *, url: str, events: Sequence[str] | Unset | None = UNSET, idempotency_key: str | None = None
    ) -> WebhookView:
        """Add a webhook.

        `POST /v1/admin/webhooks`; receipt `webhook.change`.
        """
        answer: WebhookView = self._call(
            request("POST", "/v1/admin/webhooks", body={"url": url, "events": events}, once=idempotency_key)
        )
        return answer

    def edit(
        self,
        webhook_id: str,
        *,
        url: str | Unset | None = UNSET,
        events: Sequence[str] | Unset | None = UNSET,
        state: Literal["active", "off"] | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> WebhookView:
        """Change a webhook, turn it off or on.

        `PATCH /v1/admin/webhooks/{webhook_id}`; receipt `webhook.change`.
        """
        answer: WebhookView = self._call(
            request(
                "PATCH",
                f"/v1/admin/webhooks/{placed(webhook_id)}",
                body={"url": url, "events": events, "state": state},
                once=idempotency_key,
            )
        )
        return answer

    def remove(self, webhook_id: str, *, idempotency_key: str | None = None) -> RemovedWebhookView:
        """Remove a webhook.

        `DELETE /v1/admin/webhooks/{webhook_id}`; receipt `webhook.change`.
        """
        answer: RemovedWebhookView = self._call(
            request("DELETE", f"/v1/admin/webhooks/{placed(webhook_id)}", once=idempotency_key)
        )
        return answer

    def rotate(self, webhook_id: str, *, idempotency_key: str | None = None) -> WebhookView:
        """Make a new secret.

        `POST /v1/admin/webhooks/{webhook_id}/rotate`; receipt `webhook.change`.
        """
        answer: WebhookView = self._call(
            request("POST", f"/v1/admin/webhooks/{placed(webhook_id)}/rotate", once=idempotency_key)
        )
        return answer

    def deliveries(
        self,
        webhook_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        state: Literal["pending", "delivered", "failed"] | None = None,
    ) -> DeliveriesView:
        """List deliveries, newest first.

        `GET /v1/admin/webhooks/{webhook_id}/deliveries`.
        """
        answer: DeliveriesView = self._call(
            request(
                "GET",
                f"/v1/admin/webhooks/{placed(webhook_id)}/deliveries",
                query={"cursor": cursor, "limit": limit, "state": state},
            )
        )
        return answer

    def each_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        state: Literal["pending", "delivered", "failed"] | None = None,
    ) -> Iterator[DeliveryView]:
        """Every entry of `deliveries`, page by page."""
        return every(
            lambda cursor: self.deliveries(webhook_id, limit=limit, state=state, cursor=cursor), "items"
        )

    def redeliver(
        self, webhook_id: str, event_id: str, *, idempotency_key: str | None = None
    ) -> DeliveryView:
        """Send an event again.

        `POST /v1/admin/webhooks/{webhook_id}/deliveries/{event_id}/redeliver`; receipt `webhook.change`.
        """
        answer: DeliveryView = self._call(
            request(
                "POST",
                f"/v1/admin/webhooks/{placed(webhook_id)}/deliveries/{placed(event_id)}/redeliver",
                once=idempotency_key,
            )
        )
        return answer

    def notifications(self, *, cursor: str | None = None, limit: int | None = None) -> NotificationsView:
        """Read the stream of events, oldest first.

        `GET /v1/notifications`.
        """
        answer: NotificationsView = self._call(
            request("GET", "/v1/notifications", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each_notifications(self, *, limit: int | None = None) -> Iterator[NotificationView]:
        """Every entry of `notifications`, page by page."""
        return every(lambda cursor: self.notifications(limit=limit, cursor=cursor), "items")
