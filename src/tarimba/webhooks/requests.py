"""What requests about webhooks may hold."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tarimba.webhooks.managing import WebhookChange
from tarimba.webhooks.model import EVENT_TYPES
from tarimba.webhooks.rules import URL_MAX

Url = Annotated[str, Field(max_length=URL_MAX)]
Events = Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=len(EVENT_TYPES))]
Cursor = Annotated[str | None, Field(max_length=256)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ListQuery(_Request):
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class DeliveriesQuery(ListQuery):
    state: Literal["pending", "delivered", "failed"] | None = None


class NotificationsQuery(_Request):
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class WebhookBody(_Request):
    """`events` are the types that are wanted; none, or no list, is all."""

    url: Url
    events: Events | None = None


class WebhookPatch(_Request):
    """What is absent or null stays."""

    url: Url | None = None
    events: Events | None = None
    state: Literal["active", "off"] | None = None

    def change(self) -> WebhookChange:
        return WebhookChange(self.url, None if self.events is None else tuple(self.events), self.state)
