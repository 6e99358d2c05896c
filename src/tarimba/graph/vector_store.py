"""SQL of the vectors: what an entity's says is missing or old, and all of them for a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, exists, func, select
from sqlalchemy.dialects import postgresql, sqlite

from tarimba.graph.rows import Graph
from tarimba.storage.tables import graph, graph_entity, graph_vector
from tarimba.storage.transactions import Tx

_BLOCK: Final = 4096
_E, _V = graph_entity.c, graph_vector.c
_NEWEST: Final = (
    select(func.coalesce(func.max(_V.changed_no), 0))
    .where(_V.space_id == graph.c.space_id, _V.graph_no == graph.c.graph_no, _V.model == bindparam("model"))
    .scalar_subquery()
)


def behind(connection: Connection, model: str, most: int) -> list[Graph]:
    """Graphs with active entities that changed after what is embedded of them."""
    columns = graph.c
    waiting = exists().where(
        _E.space_id == columns.space_id,
        _E.graph_no == columns.graph_no,
        _E.status == "active",
        _E.changed_no > _NEWEST,
    )
    query = select(
        columns.space_id, columns.graph_no, columns.entities, columns.observations, columns.relations
    ).where(waiting)
    return [Graph(*row) for row in connection.execute(query.limit(most), {"model": model})]


def due(connection: Connection, at: Graph, model: str, most: int) -> list[tuple[int, str, str, int]]:
    """The next of them: number, name, type, and the place of the last change, by which they come in order."""
    newest = connection.scalar(
        select(func.coalesce(func.max(_V.changed_no), 0)).where(_of(at), _V.model == model)
    )
    query = select(_E.entity_no, _E.name, _E.entity_type, _E.changed_no).where(
        _E.space_id == at.space_id,
        _E.graph_no == at.graph_no,
        _E.status == "active",
        _E.changed_no > newest,
    )
    return [
        (row[0], row[1], row[2], row[3])
        for row in connection.execute(query.order_by(_E.changed_no).limit(most))
    ]


def standing(connection: Connection, at: Graph, numbers: Sequence[int]) -> dict[int, int]:
    """The place of the last change of each of these entities that is there."""
    query = select(_E.entity_no, _E.changed_no).where(
        _E.space_id == at.space_id, _E.graph_no == at.graph_no, _E.entity_no.in_(list(numbers))
    )
    return {row.entity_no: row.changed_no for row in connection.execute(query)}


def put(tx: Tx, at: Graph, model: str, rows: Sequence[tuple[int, int, bytes]]) -> None:
    """Stores (number, place of the last change, vector) over what is there."""
    insert: Any = sqlite.insert if tx.connection.dialect.name == "sqlite" else postgresql.insert
    new = insert(graph_vector)
    statement = new.on_conflict_do_update(
        index_elements=["space_id", "graph_no", "entity_no"],
        set_={name: new.excluded[name] for name in ("model", "changed_no", "vector")},
    )
    mine = {"space_id": at.space_id, "graph_no": at.graph_no, "model": model}
    tx.write(
        statement,
        [
            {**mine, "entity_no": number, "changed_no": changed_no, "vector": vector}
            for number, changed_no, vector in rows
        ],
    )


def mark(connection: Connection, at: Graph, model: str) -> tuple[int, int]:
    """How many vectors there are and the newest of them: what changes whenever any vector does."""
    query = select(func.count(), func.coalesce(func.max(_V.changed_no), 0)).where(_of(at), _V.model == model)
    row = connection.execute(query).one()
    return int(row[0]), int(row[1])


def blocks(connection: Connection, at: Graph, model: str) -> Iterator[tuple[list[int], bytes]]:
    """All vectors, 4,096 at a time: the numbers of the entities, and their vectors one behind the other."""
    query = select(_V.entity_no, _V.vector).where(_of(at), _V.model == model).order_by(_V.entity_no)
    rows = connection.execute(query.execution_options(yield_per=_BLOCK))
    for some in rows.partitions(_BLOCK):
        yield [row.entity_no for row in some], b"".join(row.vector for row in some)


def _of(at: Graph) -> Any:
    return and_(_V.space_id == at.space_id, _V.graph_no == at.graph_no)
