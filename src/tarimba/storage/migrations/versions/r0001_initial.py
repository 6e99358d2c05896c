"""The first schema: who asks, the notes, the log.

Written out rather than taken from the metadata: a migration must do in two years what it does today.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None

# Bytes decide the order on both databases, whatever the collation of the cluster.
_STRING = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_LONG = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    _identity_1()
    _identity_2()
    _identity_3()
    _notes_1()
    _notes_2()
    _log_1()
    _log_2()


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


def _identity_1() -> None:
    op.create_table(
        "installation",
        *_texts("name", "value"),
        _key("installation", "name"),
    )
    op.create_table(
        "space",
        *_texts("space_id"),
        *_ints("space_no"),
        *_texts("slug", "name", "language", "environment"),
        *_blobs("hmac_key"),
        *_ints("created_at"),
        _key("space", "space_id"),
        _unique("space", "slug"),
        _unique("space", "space_no"),
    )
    op.create_table(
        "space_head",
        *_texts("space_id"),
        *_ints("generation", "size", "counter", "last_at"),
        *_blobs("frontier", "seal"),
        *_ints("indexed_size"),
        _key("space_head", "space_id"),
        _to("space_head", "space", "space_id"),
    )
    op.create_table(
        "space_setting",
        *_texts("space_id", "name"),
        *_long_texts("value"),
        _key("space_setting", "space_id", "name"),
        _to("space_setting", "space", "space_id"),
    )
    op.create_table(
        "vendor",
        *_texts("space_id", "vendor_id", "slug", "name"),
        *_ints("pool", "created_at", "ordinal"),
        _key("vendor", "space_id", "vendor_id"),
        _to("vendor", "space", "space_id"),
        _unique("vendor", "space_id", "slug"),
    )
    op.create_table(
        "agent",
        *_texts("space_id", "source_id", "vendor_id", "slug", "name", "harness"),
        *_ints("task_section", "pool", "created_at", "ordinal"),
        _key("agent", "space_id", "source_id"),
        _to("agent", "vendor", "space_id", "vendor_id"),
        _unique("agent", "space_id", "slug"),
    )


def _identity_2() -> None:
    op.create_table(
        "agent_key",
        *_texts("space_id", "key_id"),
        *_texts("source_id", nullable=True),
        *_texts("name", "scopes", "digest"),
        *_ints("created_at"),
        *_ints("expires_at", "revoked_at", "last_used_at", nullable=True),
        *_ints("ordinal"),
        _key("agent_key", "space_id", "key_id"),
        _to("agent_key", "space", "space_id"),
        _to("agent_key", "agent", "space_id", "source_id"),
        _unique("agent_key", "key_id"),
    )
    op.create_index("ix_agent_key_space_id_source_id", "agent_key", ["space_id", "source_id"])
    op.create_table(
        "person",
        *_texts("space_id", "person_id", "slug", "email", "name", "language"),
        *_ints("disabled_at", nullable=True),
        *_ints("created_at", "ordinal"),
        _key("person", "space_id", "person_id"),
        _to("person", "space", "space_id"),
        _unique("person", "space_id", "email"),
        _unique("person", "space_id", "slug"),
    )
    op.create_table(
        "person_role",
        *_texts("space_id", "person_id", "role"),
        _key("person_role", "space_id", "person_id", "role"),
        _to("person_role", "person", "space_id", "person_id"),
    )
    op.create_table(
        "person_token",
        *_texts("space_id", "token_id", "person_id", "digest"),
        *_ints("created_at"),
        *_ints("expires_at", "revoked_at", "last_used_at", nullable=True),
        _key("person_token", "space_id", "token_id"),
        _to("person_token", "person", "space_id", "person_id"),
        _unique("person_token", "token_id"),
    )
    op.create_table(
        "subscription",
        *_texts("space_id", "subscription_id", "slug", "name"),
        *_ints("created_at", "ordinal"),
        _key("subscription", "space_id", "subscription_id"),
        _to("subscription", "space", "space_id"),
        _unique("subscription", "space_id", "slug"),
    )


def _identity_3() -> None:
    op.create_table(
        "subscription_member",
        *_texts("space_id", "subscription_id", "person_id"),
        _key("subscription_member", "space_id", "subscription_id", "person_id"),
        _to("subscription_member", "person", "space_id", "person_id"),
        _to("subscription_member", "subscription", "space_id", "subscription_id"),
    )


def _notes_1() -> None:
    op.create_table(
        "note_term",
        *_ints("space_no", "term", "pool", "age", "weight", "version"),
        _key("note_term", "space_no", "term", "pool", "age"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "id_surrogate",
        *_texts("space_id", "mac", "surrogate"),
        _key("id_surrogate", "space_id", "mac"),
        _to("id_surrogate", "space", "space_id"),
        _unique("id_surrogate", "space_id", "surrogate"),
    )
    op.create_table(
        "agent_event",
        *_texts("space_id", "source_id", "kind"),
        *_ints("ordinal", "at"),
        _key("agent_event", "space_id", "source_id", "kind", "ordinal"),
        _to("agent_event", "agent", "space_id", "source_id"),
    )
    op.create_table(
        "note_chain",
        *_texts("space_id", "chain_id", "source_id"),
        *_ints("age", "pool"),
        *_texts("head_note_id"),
        *_ints("head_version"),
        *_texts("status"),
        *_ints("valid_until", nullable=True),
        _key("note_chain", "space_id", "chain_id"),
        _to("note_chain", "agent", "space_id", "source_id"),
        _unique("note_chain", "space_id", "age"),
    )
    op.create_index("ix_note_chain_space_id_pool_status", "note_chain", ["space_id", "pool", "status"])
    op.create_index(
        "ix_note_chain_space_id_source_id_status", "note_chain", ["space_id", "source_id", "status"]
    )
    op.create_table(
        "refusal_count",
        *_texts("space_id", "source_id", "kind"),
        *_ints("day", "count"),
        _key("refusal_count", "space_id", "source_id", "kind", "day"),
        _to("refusal_count", "agent", "space_id", "source_id"),
    )


def _notes_2() -> None:
    op.create_table(
        "note_version",
        *_texts("space_id", "note_id", "chain_id"),
        *_ints("version"),
        *_texts("supersedes_note_id", nullable=True),
        *_texts("kind"),
        *_long_texts("title", "body", "tags"),
        *_texts("visibility"),
        *_long_texts("evidence", nullable=True),
        *_texts("origin"),
        *_ints("valid_until", nullable=True),
        *_ints("created_at"),
        *_texts("created_by"),
        *_ints("seq_from"),
        *_ints("seq_to", nullable=True),
        *_texts("salt", "content_hash"),
        *_long_texts("line"),
        *_ints("line_tokens"),
        *_texts("renderer", "tokenizer"),
        *_blobs("terms"),
        *_texts("words", "detectors"),
        _key("note_version", "space_id", "note_id"),
        _to("note_version", "note_chain", "space_id", "chain_id"),
        _unique("note_version", "space_id", "chain_id", "version"),
    )
    op.create_table(
        "note_outcome",
        *_texts("space_id", "note_id"),
        *_ints("helped", "not_helped"),
        _key("note_outcome", "space_id", "note_id"),
        _to("note_outcome", "note_version", "space_id", "note_id"),
    )


def _log_1() -> None:
    op.create_table(
        "block_notes",
        *_texts("space_id", "etag"),
        *_long_texts("notes"),
        _key("block_notes", "space_id", "etag"),
        _to("block_notes", "space", "space_id"),
    )
    op.create_table(
        "idempotency",
        *_texts("space_id", "actor", "route", "key_mac", "body_mac"),
        *_ints("status"),
        *_long_texts("result"),
        *_ints("receipt_seq", nullable=True),
        *_ints("created_at"),
        _key("idempotency", "space_id", "actor", "route", "key_mac"),
        _to("idempotency", "space", "space_id"),
    )
    op.create_index("ix_idempotency_space_id_created_at", "idempotency", ["space_id", "created_at"])
    op.create_table(
        "job",
        *_texts("space_id", "job_id", "kind"),
        *_long_texts("payload"),
        *_texts("state"),
        *_ints("attempts", "run_after"),
        *_ints("leased_until", nullable=True),
        *_texts("leased_by", "problem", nullable=True),
        *_ints("created_at", "ordinal"),
        _key("job", "space_id", "job_id"),
        _to("job", "space", "space_id"),
    )
    op.create_index("ix_job_state_run_after", "job", ["state", "run_after"])
    op.create_table(
        "outbox",
        *_texts("space_id"),
        *_ints("ordinal"),
        *_texts("event_id", "type", "subject"),
        *_long_texts("payload"),
        *_ints("created_at"),
        *_ints("delivered_at", nullable=True),
        _key("outbox", "space_id", "ordinal"),
        _to("outbox", "space", "space_id"),
    )
    op.create_table(
        "receipt_bundle",
        *_texts("space_id"),
        *_ints("first_seq", "count"),
        *_blobs("hashes", "entries"),
        _key("receipt_bundle", "space_id", "first_seq"),
        _to("receipt_bundle", "space", "space_id"),
    )


def _log_2() -> None:
    op.create_table(
        "receipt_ref",
        *_texts("space_id", "ref"),
        *_ints("seq"),
        _key("receipt_ref", "space_id", "ref", "seq"),
        _to("receipt_ref", "space", "space_id"),
        sqlite_with_rowid=False,
    )
