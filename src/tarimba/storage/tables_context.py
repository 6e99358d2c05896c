"""Which turns the context of a conversation holds, from its first read until it ends."""

from __future__ import annotations

from sqlalchemy import Index, PrimaryKeyConstraint, Table

from tarimba.storage.columns import column as c
from tarimba.storage.schema import agent_fk, metadata

# A context is mostly read before the first turn is recorded, so this is no column of the conversation, whose id can't
# be kept in clear before the detectors have seen it.
context_pin = Table(
    "context_pin",
    metadata,
    c("space_id", "str", "id"),
    c("source_id", "str", "id"),
    c("kind", "str", "code"),
    c("mac", "str", "digest", erased_by="forget"),
    # Turns up to this ordinal.
    c("ordinal", "int", "number"),
    c("created_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "source_id", "kind", "mac"),
    Index(None, "space_id", "created_at"),
    agent_fk(),
)
