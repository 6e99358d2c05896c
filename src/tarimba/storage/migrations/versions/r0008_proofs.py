"""Proofs of the log: roots of its subtrees, verifications, signing keys, checkpoints."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision: str | None = "0007"

# Bytes decide the order on both databases, whatever the collation of the cluster.
_STRING = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_LONG = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    _part_1()
    _part_2()


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


def _part_1() -> None:
    op.create_table(
        "log_node",
        *_texts("space_id"),
        *_ints("level", "place"),
        *_blobs("hash"),
        _key("log_node", "space_id", "level", "place"),
        _to("log_node", "space", "space_id"),
    )
    op.create_table(
        "log_check",
        *_texts("space_id", "check_id", "asked_by"),
        *_ints("asked_at", "size", "done"),
        *_ints("finished_at", nullable=True),
        *_long_texts("report", nullable=True),
        *_ints("ordinal"),
        _key("log_check", "space_id", "check_id"),
        _to("log_check", "space", "space_id"),
    )


def _part_2() -> None:
    op.create_table(
        "signing_key",
        *_texts("space_id", "key_id"),
        *_blobs("public"),
        *_blobs("secret", nullable=True),
        *_ints("created_at"),
        *_ints("retired_at", nullable=True),
        *_ints("ordinal"),
        _key("signing_key", "space_id", "key_id"),
        _to("signing_key", "space", "space_id"),
    )
    op.create_table(
        "log_checkpoint",
        *_texts("space_id"),
        *_ints("size", "made_at"),
        *_texts("key_id"),
        *_long_texts("note"),
        _key("log_checkpoint", "space_id", "size"),
        _to("log_checkpoint", "space", "space_id"),
    )
