"""Files outside the database that hold the beginning of a log."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision: str | None = "0009"

# Bytes decide the order on both databases, whatever the collation of the cluster.
_STRING = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "log_cold",
        *_texts("space_id"),
        *_ints("first_seq", "count"),
        *_texts("name"),
        *_ints("size"),
        *_texts("digest"),
        *_ints("moved_at"),
        sa.PrimaryKeyConstraint("space_id", "first_seq", name="pk_log_cold"),
        sa.ForeignKeyConstraint(["space_id"], ["space.space_id"], name="fk_log_cold_space_id"),
    )


def _texts(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, _STRING, nullable=False) for name in names]


def _ints(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.BigInteger(), nullable=False) for name in names]
