"""Rows of one graph by many keys at once.

Through the drivers. PostgreSQL is told to look each key up by itself: left to choose, and without statistics of a young
table, it goes through all that one graph has, and the cost of a call grows with it. SQLite is told the order of the
join for the same reason. (100 names of 3,000 on PostgreSQL: 0.3 ms, where one list took 4 and a wrong index 44.)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Table

Columns = Sequence[ColumnElement[Any]]


@dataclass(frozen=True, slots=True)
class Lookup:
    """`columns` of the rows of `table` by `keys`.

    With `order` for each key only the first `limit` in that order, those behind `after`. Where the keys alone tell the
    graph (`is_whole`) its number only proves it: no index that begins with the graph is then taken for as good.
    """

    table: Table
    columns: Columns
    keys: Columns
    order: ColumnElement[Any] | None = None
    after: int = 0
    limit: int = 0
    is_whole: bool = False

    @property
    def number(self) -> str:
        return "graph_no + 0" if self.is_whole else "graph_no"


def rows_at(
    connection: Connection, at: tuple[str, int], lookup: Lookup, values: Sequence[tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """The rows of the graph `at` (space, number) whose keys are one of `values`, in no order."""
    if not values:
        return []
    tail = () if lookup.order is None else (lookup.after, lookup.limit)
    if connection.dialect.name != "sqlite":
        arrays = tuple(list(array) for array in zip(*values, strict=True))
        return _all(connection, _postgres(lookup), (*arrays, *at, *tail))
    if lookup.order is None:
        return _all(connection, _sqlite(lookup), (json.dumps(values), *at))
    # It has no LATERAL, and no way to a server either: a statement for each key costs what one for all does.
    sql = _sqlite_one(lookup)
    return [row for value in values for row in _all(connection, sql, (*at, *value, *tail))]


def _all(connection: Connection, sql: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.exec_driver_sql(sql, parameters)]


# Only names of our own tables and columns are put into the texts below; every value is a parameter.
def _sqlite(lookup: Lookup) -> str:
    shown = ", ".join(f"found.{name}" for name in _names(lookup.columns))
    same = "".join(
        f" AND found.{key} = json_extract(wanted.value, '$[{place}]')"
        for place, key in enumerate(_names(lookup.keys))
    )
    return (
        f"SELECT {shown} FROM json_each(?) AS wanted CROSS JOIN {lookup.table.name} AS found "  # noqa: S608
        f"WHERE found.space_id = ? AND found.{lookup.number} = ?{same}"
    )


def _sqlite_one(lookup: Lookup) -> str:
    same = "".join(f" AND {key} = ?" for key in _names(lookup.keys))
    return _one(lookup, same, "?")


def _postgres(lookup: Lookup) -> str:
    arrays = ", ".join(
        "%s::bigint[]" if isinstance(key.type, BigInteger) else "%s::text[]" for key in lookup.keys
    )
    wanted = ", ".join(f"key_{place}" for place in range(len(lookup.keys)))
    same = "".join(f" AND {key} = wanted.key_{place}" for place, key in enumerate(_names(lookup.keys)))
    return (
        f"SELECT found.* FROM unnest({arrays}) AS wanted ({wanted}) "  # noqa: S608
        f"CROSS JOIN LATERAL ({_one(lookup, same, '%s')}) AS found"
    )


def _one(lookup: Lookup, same: str, mark: str) -> str:
    """The rows of one key."""
    # A query with an OFFSET is planned by itself.
    tail = " OFFSET 0"
    if lookup.order is not None:
        (order,) = _names([lookup.order])
        tail = f" AND {order} > {mark} ORDER BY {order} LIMIT {mark}"
    return (
        f"SELECT {', '.join(_names(lookup.columns))} FROM {lookup.table.name} "  # noqa: S608
        f"WHERE space_id = {mark} AND {lookup.number} = {mark}{same}{tail}"
    )


def _names(columns: Columns) -> list[str]:
    return [str(column.key) for column in columns]
