"""The few statements that SQLite and PostgreSQL spell differently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import Insert


def insert_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> Insert:
    """INSERT that does nothing when the row's key is there already."""
    return _insert(connection, table).values(row).on_conflict_do_nothing()


def put_row(connection: Connection, table: Table, row: Mapping[str, Any]) -> Insert:
    """INSERT that takes the place of the row with the same key. Who deletes first and inserts then, meets others."""
    made = _insert(connection, table).values(row)
    key = [column.name for column in table.primary_key]
    return made.on_conflict_do_update(
        index_elements=key, set_={name: made.excluded[name] for name in row if name not in key}
    )


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)
