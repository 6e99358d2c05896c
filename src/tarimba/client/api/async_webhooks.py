"""Calls of `client.api.webhooks`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, ACall, Unset, aevery, placed, request

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


class AsyncWebhooks:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `webhooks` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def list(self, *, cursor: str | None = None, limit: int | None = None) -> WebhooksView:
        """List webhooks.

        `GET /v1/admin/webhooks`.
        """
        answer: WebhooksView = await self._call(
            request("GET", "/v1/admin/webhooks", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each(self, *, limit: int | None = None) -> AsyncIterator[WebhookView]:
        """Every entry of `list`, page by page."""
        return aevery(lambda cursor: self.list(limit=limit, cursor=cursor), "items")

    async def create(
        self, *, url: str, events: Sequence[str] | Unset | None = UNSET, idempotency_key: str | None = None
    ) -> WebhookView:
        """Add a webhook.

        `POST /v1/admin/webhooks`; receipt `webhook.change`.
        """
        answer: WebhookView = await self._call(
            request("POST", "/v1/admin/webhooks", body={"url": url, "events": events}, once=idempotency_key)
        )
        return answer

    async def edit(
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
        answer: WebhookView = await self._call(
            request(
                "PATCH",
                f"/v1/admin/webhooks/{placed(webhook_id)}",
                body={"url": url, "events": events, "state": state},
                once=idempotency_key,
            )
        )
        return answer

    async def remove(self, webhook_id: str, *, idempotency_key: str | None = None) -> RemovedWebhookView:
        """Remove a webhook.

        `DELETE /v1/admin/webhooks/{webhook_id}`; receipt `webhook.change`.
        """
        answer: RemovedWebhookView = await self._call(
            request("DELETE", f"/v1/admin/webhooks/{placed(webhook_id)}", once=idempotency_key)
        )
        return answer

    async def rotate(self, webhook_id: str, *, idempotency_key: str | None = None) -> WebhookView:
        """Make a new secret.

        `POST /v1/admin/webhooks/{webhook_id}/rotate`; receipt `webhook.change`.
        """
        answer: WebhookView = await self._call(
            request("POST", f"/v1/admin/webhooks/{placed(webhook_id)}/rotate", once=idempotency_key)
        )
        return answer

    async def deliveries(
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
        answer: DeliveriesView = await self._call(
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
    ) -> AsyncIterator[DeliveryView]:
        """Every entry of `deliveries`, page by page."""
        return aevery(
            lambda cursor: self.deliveries(webhook_id, limit=limit, state=state, cursor=cursor), "items"
        )

    async def redeliver(
        self, webhook_id: str, event_id: str, *, idempotency_key: str | None = None
    ) -> DeliveryView:
        """Send an event again.

        `POST /v1/admin/webhooks/{webhook_id}/deliveries/{event_id}/redeliver`; receipt `webhook.change`.
        """
        answer: DeliveryView = await self._call(
            request(
                "POST",
                f"/v1/admin/webhooks/{placed(webhook_id)}/deliveries/{placed(event_id)}/redeliver",
                once=idempotency_key,
            )
        )
        return answer

    async def notifications(
        self, *, cursor: str | None = None, limit: int | None = None
    ) -> NotificationsView:
        """Read the stream of events, oldest first.

        `GET /v1/notifications`.
        """
        answer: NotificationsView = await self._call(
            request("GET", "/v1/notifications", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each_notifications(self, *, limit: int | None = None) -> AsyncIterator[NotificationView]:
        """Every entry of `notifications`, page by page."""
        return aevery(lambda cursor: self.notifications(limit=limit, cursor=cursor), "items")
