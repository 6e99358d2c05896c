"""What learning keeps: conversations, proposals, task records and skill drafts, webhooks and their deliveries."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision: str | None = "0002"

# Bytes decide the order on both databases, whatever the collation of the cluster.
_STRING = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_LONG = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    _conversations_1()
    _conversations_2()
    _proposals()
    _evolution()
    _webhooks()
    _contexts()


def _texts(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, _STRING, nullable=nullable) for name in names]


def _long_texts(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, _LONG, nullable=nullable) for name in names]


def _ints(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.BigInteger(), nullable=nullable) for name in names]


def _blobs(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.LargeBinary(), nullable=nullable) for name in names]


def _key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def _unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name=f"uq_{table}_{'_'.join(columns)}")


def _to(table: str, target: str, *columns: str) -> sa.ForeignKeyConstraint:
    """A foreign key to columns of the same names."""
    there = [f"{target}.{name}" for name in columns]
    return sa.ForeignKeyConstraint(list(columns), there, name=f"fk_{table}_{'_'.join(columns)}")


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))


def _conversations_1() -> None:
    op.create_table(
        "profile",
        *_texts("space_id", "profile_id"),
        *_ints("created_at", "last_at"),
        *_texts("merged_into", nullable=True),
        _key("profile", "space_id", "profile_id"),
        _to("profile", "space", "space_id"),
    )
    _index("profile", "space_id", "last_at")
    _index("profile", "space_id", "merged_into")
    op.create_table(
        "handle",
        *_texts("space_id", "mac", "vendor_id", "profile_id", "type"),
        *_ints("created_at"),
        _key("handle", "space_id", "mac", "vendor_id"),
        _to("handle", "profile", "space_id", "profile_id"),
    )
    _index("handle", "space_id", "profile_id")
    op.create_table(
        "identity_link",
        *_texts("space_id", "mac_a", "mac_b", "vendor_id", "method", "state", "source_id"),
        *_ints("created_at"),
        _key("identity_link", "space_id", "mac_a", "mac_b", "vendor_id"),
        _to("identity_link", "agent", "space_id", "source_id"),
    )
    _index("identity_link", "space_id", "mac_a", "state")
    _index("identity_link", "space_id", "mac_b", "state")


def _conversations_2() -> None:
    op.create_table(
        "conversation",
        *_texts("space_id", "conversation_ref", "kind", "mac", "caller_id", "source_id"),
        *_texts("profile_id", nullable=True),
        *_texts("link", "level"),
        *_ints("started_at", "last_at"),
        *_ints("ended_at", "ended", "succeeded", nullable=True),
        *_ints("ordinal"),
        _key("conversation", "space_id", "conversation_ref"),
        _unique("conversation", "space_id", "mac", "kind", "source_id"),
        _to("conversation", "agent", "space_id", "source_id"),
    )
    _index("conversation", "space_id", "caller_id")
    _index("conversation", "space_id", "kind", "ended")
    _index("conversation", "space_id", "last_at")
    _index("conversation", "space_id", "profile_id", "link")
    op.create_table(
        "conversation_alias",
        *_texts("space_id", "mac", "source_id", "conversation_ref"),
        _key("conversation_alias", "space_id", "mac", "source_id"),
        _to("conversation_alias", "conversation", "space_id", "conversation_ref"),
    )
    _index("conversation_alias", "space_id", "conversation_ref")
    op.create_table(
        "turn",
        *_texts("space_id", "turn_id"),
        *_ints("ordinal"),
        *_texts("source_id"),
        *_texts("key_mac", nullable=True),
        *_texts("kind", "channel"),
        *_texts("conversation_ref", "task_ref", "profile_id", nullable=True),
        *_texts("role"),
        *_texts("speaker_mac", nullable=True),
        *_long_texts("text", nullable=True),
        *_texts("operation", nullable=True),
        *_long_texts("result", "purpose", "objects", nullable=True),
        *_texts("read_receipt_id", nullable=True),
        *_ints("occurred_at", "recorded_at"),
        _key("turn", "space_id", "turn_id"),
        _unique("turn", "space_id", "ordinal"),
        _unique("turn", "space_id", "source_id", "key_mac"),
        _to("turn", "agent", "space_id", "source_id"),
    )
    _index("turn", "space_id", "conversation_ref", "ordinal")
    _index("turn", "space_id", "profile_id", "ordinal")
    _index("turn", "space_id", "task_ref", "ordinal")
    op.create_table(
        "forget_request",
        *_texts("space_id", "request_id", "target_kind", "target_id", "status"),
        *_ints("requested_at"),
        *_texts("requested_by"),
        *_ints("finished_at", nullable=True),
        *_ints("ordinal"),
        _key("forget_request", "space_id", "request_id"),
        _to("forget_request", "space", "space_id"),
    )


def _proposals() -> None:
    op.create_table(
        "proposal",
        *_texts("space_id", "proposal_id", "source_id", "act"),
        *_texts("edits_note_id", nullable=True),
        *_texts("kind"),
        *_long_texts("title", "body", "tags"),
        *_texts("visibility"),
        *_long_texts("evidence", nullable=True),
        *_ints("valid_until", nullable=True),
        *_texts("origin", "status"),
        *_texts("note_id", nullable=True),
        *_ints("created_at"),
        *_texts("created_by"),
        *_ints("decided_at", nullable=True),
        *_texts("decided_by", nullable=True),
        *_long_texts("reason", nullable=True),
        *_texts("problem", nullable=True),
        *_long_texts("problem_kinds", "similar_note_ids", nullable=True),
        *_ints("edited"),
        *_texts("about_mac", nullable=True),
        *_texts("detectors"),
        *_ints("scrubbed_at", nullable=True),
        *_ints("ordinal"),
        _key("proposal", "space_id", "proposal_id"),
        _to("proposal", "agent", "space_id", "source_id"),
    )
    _index("proposal", "space_id", "about_mac")
    _index("proposal", "space_id", "source_id", "ordinal")
    _index("proposal", "space_id", "status", "ordinal")
    _index("proposal", "space_id", "status", "scrubbed_at", "decided_at")


def _evolution() -> None:
    op.create_table(
        "task_record",
        *_texts("space_id", "record_id", "source_id", "task_mac", "signature"),
        *_long_texts("operations"),
        *_ints("succeeded", "duration_ms", "at", "ordinal"),
        _key("task_record", "space_id", "record_id"),
        _to("task_record", "agent", "space_id", "source_id"),
    )
    _index("task_record", "space_id", "source_id", "signature")
    op.create_table(
        "evolution_mark",
        *_texts("space_id"),
        *_ints("read_until", "round_at", "tasks_since"),
        _key("evolution_mark", "space_id"),
        _to("evolution_mark", "space", "space_id"),
    )
    op.create_table(
        "skill_draft",
        *_texts("space_id", "draft_id", "source_id", "signature", "name"),
        *_long_texts("text"),
        *_texts("writer", "state"),
        *_texts("problem", nullable=True),
        *_ints("seen", "succeeded", "created_at"),
        *_ints("decided_at", nullable=True),
        *_texts("decided_by", nullable=True),
        *_ints("ordinal"),
        _key("skill_draft", "space_id", "draft_id"),
        _to("skill_draft", "agent", "space_id", "source_id"),
    )
    _index("skill_draft", "space_id", "source_id", "signature")
    _index("skill_draft", "space_id", "state", "ordinal")


def _webhooks() -> None:
    op.create_table(
        "webhook",
        *_texts("space_id", "webhook_id"),
        *_long_texts("url", "events"),
        *_blobs("secret"),
        *_blobs("old_secret", nullable=True),
        *_ints("old_until", nullable=True),
        *_texts("state"),
        *_ints("created_at"),
        *_texts("created_by"),
        *_ints("ordinal"),
        _key("webhook", "space_id", "webhook_id"),
        _to("webhook", "space", "space_id"),
    )
    op.create_table(
        "webhook_mark",
        *_texts("space_id", "webhook_id"),
        *_ints("planned_until"),
        *_ints("last_at", "last_status", nullable=True),
        *_texts("last_problem", nullable=True),
        _key("webhook_mark", "space_id", "webhook_id"),
        _to("webhook_mark", "webhook", "space_id", "webhook_id"),
    )
    op.create_table(
        "webhook_delivery",
        *_texts("space_id", "webhook_id"),
        *_ints("ordinal"),
        *_texts("subject", "state"),
        *_ints("attempts", "since", "next_at"),
        *_ints("leased_until", "last_at", "last_status", nullable=True),
        *_texts("last_problem", nullable=True),
        _key("webhook_delivery", "space_id", "webhook_id", "ordinal"),
        _to("webhook_delivery", "webhook", "space_id", "webhook_id"),
    )
    _index("webhook_delivery", "space_id", "webhook_id", "state", "next_at")
    _index("webhook_delivery", "space_id", "webhook_id", "state", "subject", "ordinal")


def _contexts() -> None:
    op.create_table(
        "context_pin",
        *_texts("space_id", "source_id", "kind", "mac"),
        *_ints("ordinal", "created_at"),
        _key("context_pin", "space_id", "source_id", "kind", "mac"),
        _to("context_pin", "agent", "space_id", "source_id"),
    )
    _index("context_pin", "space_id", "created_at")
