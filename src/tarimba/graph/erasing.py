"""Whose graphs there are of a person, and taking one out of the tables, some rows at a time."""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, Connection, Table, delete, select, tuple_

from tarimba.graph.importing import IMPORT
from tarimba.graph.model import Scope
from tarimba.jobs import service as jobs
from tarimba.storage import Tx
from tarimba.storage.schema import metadata
from tarimba.storage.tables import graph, open_turn

_GRAPH_NO: Final = "graph_no"


def seats_of(connection: Connection, space_id: str, person_id: str) -> list[Scope]:
    """Every seat at which the person has a graph, or a turn under way, whether still a member there or not."""
    found: dict[Scope, None] = {}
    for table in (graph, open_turn):
        columns = table.c
        query = select(columns.subscription_id, columns.source_id).where(
            columns.space_id == space_id, columns.person_id == person_id
        )
        rows = connection.execute(query.order_by(columns.subscription_id, columns.source_id))
        found |= {Scope(space_id, row.subscription_id, row.source_id, person_id): None for row in rows}
    return list(found)


def erase(tx: Tx, scope: Scope, limit: int) -> bool:
    """Deletes up to `limit` rows of a graph, whatever they are of it. True while more is left.

    The receipt is the caller's to leave, in this very transaction.
    """
    tx.write(delete(open_turn).where(*_mine(open_turn, scope)))
    graph_no = tx.scalar(select(graph.c.graph_no).where(*_mine(graph, scope)))
    if graph_no is None:
        return False
    # Whoever takes a file in finds the job gone and stores nothing more.
    jobs.drop(tx, IMPORT, graph_no=str(graph_no))
    left = limit
    for table in _tables():
        left -= _delete_some(tx, table, graph_no, left)
        if left <= 0:
            return True
    tx.write(delete(graph).where(*_mine(graph, scope)))
    return False


def _tables() -> list[Table]:
    """All that hang on a graph: a new one is emptied without being named here."""
    return [table for table in metadata.sorted_tables if table is not graph and _GRAPH_NO in table.c]


def _delete_some(tx: Tx, table: Table, graph_no: int, limit: int) -> int:
    key = list(table.primary_key.columns)
    mine = (table.c.space_id == tx.space_id, table.c.graph_no == graph_no)
    rows = [tuple(row) for row in tx.all(select(*key).where(*mine).limit(limit))]
    for first in range(0, len(rows), 500):
        tx.write(delete(table).where(tuple_(*key).in_(rows[first : first + 500])))
    return len(rows)


def _mine(table: Table, scope: Scope) -> tuple[ColumnElement[bool], ...]:
    columns = table.c
    return (
        columns.space_id == scope.space_id,
        columns.subscription_id == scope.subscription_id,
        columns.source_id == scope.source_id,
        columns.person_id == scope.person_id,
    )
