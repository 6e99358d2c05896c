"""Asking which of many MACs a space knows.

Through the drivers: a note of 20,000 characters asks for some 5,000 MACs at once, and an import for as many. They go in
as one array, which both databases read in one query; as parameters of their own they would be too many.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection

# Only constants of this module are put into the texts.
_KNOWN = "SELECT mac, min(kind) FROM known_customer WHERE space_id = {} AND mac {} GROUP BY mac"
_OWNERS = "SELECT mac, customer_id FROM known_customer WHERE space_id = {} AND mac {}"


def known_among(connection: Connection, space_id: str, macs: Collection[str]) -> dict[str, str]:
    """The kind of each MAC that the space knows."""
    return {row[0]: row[1] for row in _rows(connection, _KNOWN, space_id, macs)}


def owners_of(connection: Connection, space_id: str, macs: Collection[str]) -> list[tuple[str, str]]:
    """Each MAC that the space knows with each customer that has it."""
    return [(row[0], row[1]) for row in _rows(connection, _OWNERS, space_id, macs)]


def _rows(connection: Connection, query: str, space_id: str, macs: Collection[str]) -> Any:
    if connection.dialect.name == "sqlite":
        statement = query.format("?", "IN (SELECT value FROM json_each(?))")
        return connection.exec_driver_sql(statement, (space_id, json.dumps(list(macs))))
    return connection.exec_driver_sql(query.format("%s", "= ANY(%s)"), (space_id, list(macs)))
