"""Published skills and shared files, version by version."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision: str | None = "0003"

# Bytes decide the order on both databases, whatever the collation of the cluster.
_STRING = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_LONG = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    _skills()


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


def _skills() -> None:
    op.create_table(
        "blob",
        *_texts("space_id", "hash"),
        *_ints("size"),
        *_blobs("content"),
        *_ints("refs"),
        _key("blob", "space_id", "hash"),
        _to("blob", "space", "space_id"),
    )
    op.create_table(
        "skill",
        *_texts("space_id", "skill_id", "scope", "subscription_id", "source_id", "name"),
        *_ints("version", "created_at", "ordinal"),
        _key("skill", "space_id", "skill_id"),
        _unique("skill", "space_id", "scope", "subscription_id", "source_id", "name"),
        _to("skill", "space", "space_id"),
    )
    op.create_table(
        "skill_version",
        *_texts("space_id", "skill_id"),
        *_ints("version"),
        *_long_texts("description"),
        *_texts("verdict"),
        *_long_texts("problems", "files"),
        *_texts("content_hash"),
        *_ints("size", "published_at"),
        *_texts("published_by"),
        *_ints("ordinal"),
        _key("skill_version", "space_id", "skill_id", "version"),
        _to("skill_version", "skill", "space_id", "skill_id"),
    )
    _index("skill_version", "space_id", "content_hash")
    op.create_table(
        "shared_file",
        *_texts("space_id", "file_id", "scope", "subscription_id", "source_id", "path", "hash"),
        *_ints("size", "version", "published_at"),
        *_texts("published_by"),
        *_ints("ordinal"),
        _key("shared_file", "space_id", "file_id"),
        _unique("shared_file", "space_id", "scope", "subscription_id", "source_id", "path"),
        _to("shared_file", "space", "space_id"),
    )
