"""Witnesses of the log, and their cosignatures of checkpoints."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision: str | None = "0008"

# Bytes decide the order on both databases, whatever the collation of the cluster.
_STRING = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_LONG = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "log_witness",
        *_texts("space_id", "key_id", "name"),
        sa.Column("public", sa.LargeBinary(), nullable=False),
        *_ints("added_at"),
        *_texts("added_by"),
        *_ints("removed_at", nullable=True),
        *_ints("ordinal"),
        sa.PrimaryKeyConstraint("space_id", "key_id", name="pk_log_witness"),
        sa.ForeignKeyConstraint(["space_id"], ["space.space_id"], name="fk_log_witness_space_id"),
    )
    op.create_table(
        "log_cosignature",
        *_texts("space_id"),
        *_ints("size"),
        *_texts("key_id"),
        *_ints("at"),
        sa.Column("line", _LONG, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "size", "key_id", name="pk_log_cosignature"),
        sa.ForeignKeyConstraint(["space_id"], ["space.space_id"], name="fk_log_cosignature_space_id"),
    )


def _texts(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, _STRING, nullable=nullable) for name in names]


def _ints(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.BigInteger(), nullable=nullable) for name in names]
