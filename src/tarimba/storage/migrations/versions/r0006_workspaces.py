"""Workspaces, their projects, versions of members' memory files, secrets."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision: str | None = "0005"

# Bytes decide the order on both databases, whatever the collation of the cluster.
_STRING = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_LONG = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    _part_1()
    _part_2()
    _part_3()


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
        "workspace",
        *_texts("space_id", "workspace_id", "subscription_id", "source_id", "person_id", "provisioned"),
        *_ints("provisioned_at", "created_at", "ordinal"),
        _key("workspace", "space_id", "workspace_id"),
        _unique("workspace", "space_id", "subscription_id", "source_id", "person_id"),
        _unique("workspace", "workspace_id"),
        _to("workspace", "space", "space_id"),
    )
    _index("workspace", "space_id", "person_id")
    op.create_table(
        "workspace_project",
        *_texts("space_id", "workspace_id", "project", "name"),
        *_ints("created_at", "ordinal"),
        _key("workspace_project", "space_id", "workspace_id", "project"),
        _to("workspace_project", "workspace", "space_id", "workspace_id"),
    )


def _part_2() -> None:
    op.create_table(
        "persona",
        *_texts("space_id", "source_id", "name"),
        *_long_texts("content"),
        *_texts("hash"),
        *_ints("changed_at"),
        _key("persona", "space_id", "source_id", "name"),
        _to("persona", "space", "space_id"),
        _to("persona", "agent", "space_id", "source_id"),
    )
    op.create_table(
        "memory_version",
        *_texts("space_id", "workspace_id", "project"),
        *_ints("version"),
        *_long_texts("content"),
        *_texts("hash"),
        *_ints("size"),
        *_texts("origin"),
        *_ints("created_at"),
        _key("memory_version", "space_id", "workspace_id", "project", "version"),
        _to("memory_version", "workspace", "space_id", "workspace_id"),
    )


def _part_3() -> None:
    op.create_table(
        "secret",
        *_texts("space_id", "secret_id", "subscription_id", "source_id", "person_id", "name"),
        *_blobs("value"),
        *_ints("created_at", "changed_at", "ordinal"),
        _key("secret", "space_id", "secret_id"),
        _unique("secret", "space_id", "subscription_id", "source_id", "person_id", "name"),
        _to("secret", "space", "space_id"),
    )
