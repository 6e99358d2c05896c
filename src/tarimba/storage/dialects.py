"""The few statements that SQLite and PostgreSQL spell differently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import Insert


def insert_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> Insert:
    """INSERT that does nothing when the row's key is there already."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table).values(row).on_conflict_do_nothing()
    return postgresql.insert(table).values(row).on_conflict_do_nothing()
