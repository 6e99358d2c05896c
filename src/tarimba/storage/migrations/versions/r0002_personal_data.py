"""What a space knows: its vocabulary, its known customers, and the counters of their changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision: str | None = "0001"

_STRING = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "space_knowledge",
        _text("space_id"),
        _int("version"),
        _int("scan"),
        sa.PrimaryKeyConstraint("space_id", name="pk_space_knowledge"),
        _of_space("space_knowledge"),
    )
    op.create_table(
        "vocabulary",
        *map(_text, ("space_id", "entry_id", "term", "folded", "reason")),
        *map(_int, ("confirmed", "created_at")),
        _text("created_by"),
        _int("ordinal"),
        sa.PrimaryKeyConstraint("space_id", "entry_id", name="pk_vocabulary"),
        sa.UniqueConstraint("space_id", "folded", name="uq_vocabulary_space_id_folded"),
        _of_space("vocabulary"),
    )
    op.create_table(
        "known_customer",
        *map(_text, ("space_id", "mac", "customer_id", "kind")),
        _int("created_at"),
        sa.PrimaryKeyConstraint("space_id", "mac", "customer_id", name="pk_known_customer"),
        _of_space("known_customer"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_known_customer_space_id_customer_id", "known_customer", ["space_id", "customer_id"])


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, _STRING, nullable=False)


def _int(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _of_space(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["space_id"], ["space.space_id"], name=f"fk_{table}_space_id")
