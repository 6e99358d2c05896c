"""How people come in: passwords, second factors, sessions, links, failures; the log counted by day."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision: str | None = "0006"

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
        "person_secret",
        *_texts("space_id", "person_id", "password"),
        *_blobs("totp", nullable=True),
        *_ints("totp_since", nullable=True),
        *_ints("totp_step"),
        *_texts("oidc", nullable=True),
        *_ints("changed_at"),
        _key("person_secret", "space_id", "person_id"),
        _unique("person_secret", "oidc", "space_id"),
        _to("person_secret", "person", "space_id", "person_id"),
    )
    op.create_table(
        "person_session",
        *_texts("space_id", "session_id", "person_id", "digest"),
        *_ints("created_at", "seen_at", "expires_at"),
        *_ints("ended_at", nullable=True),
        _key("person_session", "space_id", "session_id"),
        _unique("person_session", "session_id"),
        _to("person_session", "person", "space_id", "person_id"),
    )
    _index("person_session", "space_id", "person_id")


def _part_2() -> None:
    op.create_table(
        "sign_in_link",
        *_texts("space_id", "link_id", "person_id", "digest"),
        *_ints("created_at", "expires_at"),
        *_ints("spent_at", nullable=True),
        *_ints("by_host"),
        _key("sign_in_link", "space_id", "link_id"),
        _unique("sign_in_link", "link_id"),
        _to("sign_in_link", "person", "space_id", "person_id"),
    )
    op.create_table(
        "sign_in_failure",
        *_texts("name"),
        *_ints("failures", "last_at"),
        _key("sign_in_failure", "name"),
    )


def _part_3() -> None:
    op.create_table(
        "log_count",
        *_texts("space_id"),
        *_ints("day"),
        *_texts("action"),
        *_ints("count", "notes"),
        _key("log_count", "space_id", "day", "action"),
        _to("log_count", "space", "space_id"),
    )
