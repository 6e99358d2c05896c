"""Tables of webhooks: where events go, how far they have come, and what became of each."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table

from tarimba.storage.columns import column as c
from tarimba.storage.schema import metadata, space_fk

webhook = Table(
    "webhook",
    metadata,
    c("space_id", "str", "id"),
    c("webhook_id", "str", "id"),
    c("url", "text", "name"),
    # JSON: the types that it wants; empty is all.
    c("events", "text", "code"),
    c("secret", "bytes", "secret"),
    # Signs too until then, so that a receiver can change over without losing one.
    c("old_secret", "bytes", "secret", nullable=True),
    c("old_until", "int", "time", nullable=True),
    # `active`, `failing` (an event was given up), `off`, or `removed`: what is left is an id that receipts name.
    c("state", "str", "code"),
    c("created_at", "int", "time"),
    c("created_by", "str", "id"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "webhook_id"),
    space_fk(),
)

# How far a webhook has come. Apart from it, because this changes with every delivery and is no act of anybody.
webhook_mark = Table(
    "webhook_mark",
    metadata,
    c("space_id", "str", "id"),
    c("webhook_id", "str", "id"),
    # Deliveries are planned for events of the outbox up to this ordinal.
    c("planned_until", "int", "number"),
    c("last_at", "int", "time", nullable=True),
    c("last_status", "int", "number", nullable=True),
    c("last_problem", "str", "code", nullable=True),
    PrimaryKeyConstraint("space_id", "webhook_id"),
    ForeignKeyConstraint(["space_id", "webhook_id"], ["webhook.space_id", "webhook.webhook_id"]),
)

webhook_delivery = Table(
    "webhook_delivery",
    metadata,
    c("space_id", "str", "id"),
    c("webhook_id", "str", "id"),
    # The event's in the outbox.
    c("ordinal", "int", "number"),
    c("subject", "str", "id"),
    # `pending`, `delivered` or `failed`.
    c("state", "str", "code"),
    c("attempts", "int", "number", default=0),
    # When it was planned, or asked for again.
    c("since", "int", "time"),
    c("next_at", "int", "time"),
    c("leased_until", "int", "time", nullable=True),
    c("last_at", "int", "time", nullable=True),
    c("last_status", "int", "number", nullable=True),
    c("last_problem", "str", "code", nullable=True),
    PrimaryKeyConstraint("space_id", "webhook_id", "ordinal"),
    Index(None, "space_id", "webhook_id", "state", "next_at"),
    Index(None, "space_id", "webhook_id", "state", "subject", "ordinal"),
    ForeignKeyConstraint(["space_id", "webhook_id"], ["webhook.space_id", "webhook.webhook_id"]),
)
