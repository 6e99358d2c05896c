"""SQL of the graph's rows: what one call touches, by number or by the key of a name. No decisions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import starmap
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from tarimba.errors import Refusal
from tarimba.graph.model import Scope
from tarimba.graph.rows import EntityRow, Graph, ObservationRow, RelationRow
from tarimba.graph.rules import folded_key, key_of
from tarimba.storage import Tx
from tarimba.storage.keyed import Lookup, rows_at
from tarimba.storage.tables import graph, graph_change, graph_entity, graph_observation, graph_relation

_E, _O, _R = graph_entity.c, graph_observation.c, graph_relation.c
ENTITY: Final[tuple[ColumnElement[Any], ...]] = (
    _E.entity_no, _E.name, _E.entity_type, _E.status, _E.merged_into, _E.observations, _E.conversation_id,
    _E.created_at, _E.changed_at, _E.changed_no,
)  # fmt: skip
OBSERVATION: Final[tuple[ColumnElement[Any], ...]] = (
    _O.entity_no, _O.observation_no, _O.content, _O.confidence, _O.conversation_id, _O.created_at,
)  # fmt: skip
RELATION: Final[tuple[ColumnElement[Any], ...]] = (
    _R.relation_no, _R.from_name, _R.to_name, _R.relation_type, _R.conversation_id, _R.created_at,
)  # fmt: skip


# Made once: to build these costs more than to run them.
_GRAPH_OF: Final[Select[Any]] = select(
    graph.c.space_id,
    graph.c.graph_no,
    graph.c.entities,
    graph.c.observations,
    graph.c.relations,
    graph.c.arriving,
).where(
    graph.c.space_id == bindparam("space_id"),
    graph.c.subscription_id == bindparam("subscription_id"),
    graph.c.source_id == bindparam("source_id"),
    graph.c.person_id == bindparam("person_id"),
)
_COUNT: Final = (
    update(graph)
    .where(graph.c.space_id == bindparam("space"), graph.c.graph_no == bindparam("number"))
    .values(
        {
            name: graph.c[name] + bindparam(f"more_{name}")
            for name in ("entities", "observations", "relations")
        }
    )
)


def graph_of(connection: Connection, scope: Scope, *, arriving: bool = False) -> Graph | None:
    """The graph of a member, None before the first write.

    While a file is being taken in, only who does that (`arriving`) sees it: the others get 503.
    """
    row = connection.execute(_GRAPH_OF, asdict(scope)).first()
    if row is not None and row.arriving is not None and not arriving:
        raise Refusal(
            "unavailable", "A file is being taken into this graph. Try again in a moment.", retry_after=5
        )
    return Graph(*row[:-1]) if row else None


def add_graph(tx: Tx, scope: Scope) -> Graph:
    made = Graph(tx.space_id, tx.next_ordinal(), 0, 0, 0)
    row = asdict(scope) | {"graph_no": made.graph_no, "created_at": tx.now}
    tx.write(insert(graph), [row])
    return made


def count(tx: Tx, graph_no: int, entities: int, observations: int, relations: int) -> None:
    """Moves the counts of a graph by these."""
    moved = {"entities": entities, "observations": observations, "relations": relations}
    tx.write(
        _COUNT, [{"space": tx.space_id, "number": graph_no} | {f"more_{k}": v for k, v in moved.items()}]
    )


def entities_named(connection: Connection, at: Graph, names: Iterable[str]) -> dict[str, EntityRow]:
    """Those of these names that are there, whatever their status."""
    keys = [(_key_in(at.graph_no, name),) for name in dict.fromkeys(names)]
    found = rows_at(connection, at.place, Lookup(graph_entity, ENTITY, (_E.name_key,), is_whole=True), keys)
    return {row.name: row for row in starmap(EntityRow, found)}


def entities_numbered(connection: Connection, at: Graph, numbers: Iterable[int]) -> dict[int, EntityRow]:
    found = _among(connection, at, graph_entity, ENTITY, _E.entity_no, numbers)
    return {row.entity_no: row for row in starmap(EntityRow, found)}


def entities_folded(connection: Connection, at: Graph, names: Iterable[str]) -> list[tuple[str, str]]:
    """Folded key and name of what is as good as one of these names, oldest first; not what was merged."""
    columns = (_E.entity_no, _E.name, _E.status)
    keys = dict.fromkeys((_folded_in(at.graph_no, name),) for name in names)
    lookup = Lookup(graph_entity, columns, (_E.folded_key,), is_whole=True)
    found = sorted(rows_at(connection, at.place, lookup, list(keys)))
    return [(folded_key(name), name) for _, name, status in found if status != "merged"]


def entities_merged_into(connection: Connection, at: Graph, numbers: Iterable[int]) -> list[EntityRow]:
    found = _among(connection, at, graph_entity, ENTITY, _E.merged_into, numbers)
    return list(starmap(EntityRow, found))


def entities_after(
    connection: Connection, at: Graph, after: int, statuses: Collection[str], limit: int
) -> list[EntityRow]:
    """In the order in which they were made, from the number behind `after`."""
    query = select(*ENTITY).where(_of(graph_entity, at), _E.entity_no > after, _E.status.in_(statuses))
    return [EntityRow(*row) for row in connection.execute(query.order_by(_E.entity_no).limit(limit))]


def entities_changed(
    connection: Connection, at: Graph, since: int, before: int | None, limit: int
) -> list[EntityRow]:
    """What changed last comes first: from the number below `before` down to that of `since`."""
    query = select(*ENTITY).where(_of(graph_entity, at), _E.changed_no > since, _E.status != "merged")
    if before is not None:
        query = query.where(_E.changed_no < before)
    return [EntityRow(*row) for row in connection.execute(query.order_by(_E.changed_no.desc()).limit(limit))]


def statuses(connection: Connection, at: Graph, names: Iterable[str]) -> dict[str, str]:
    """The status of each of these names that is there, by the key of the name."""
    lookup = Lookup(graph_entity, (_E.name, _E.status), (_E.name_key,), is_whole=True)
    keys = [(_key_in(at.graph_no, name),) for name in dict.fromkeys(names)]
    return {key_of(name): status for name, status in rows_at(connection, at.place, lookup, keys)}


def observations_of(
    connection: Connection, at: Graph, numbers: Iterable[int], *, after: int = 0, limit: int | None = None
) -> list[ObservationRow]:
    """Of these entities, in the order of entities and of what was observed; with `limit` the first ones of each.

    These are the ones behind the number `after`.
    """
    lookup = Lookup(graph_observation, OBSERVATION, (_O.entity_no,))
    if limit is not None:
        lookup = replace(lookup, order=_O.observation_no, after=after, limit=limit)
    found = rows_at(connection, at.place, lookup, [(number,) for number in dict.fromkeys(numbers)])
    found.sort(key=lambda row: row[:2])
    return list(starmap(ObservationRow, found))


def observations_saying(
    connection: Connection, at: Graph, wanted: Iterable[tuple[int, str]]
) -> dict[tuple[int, str], ObservationRow]:
    """Those of (number of the entity, text) that are there."""
    pairs = sorted({(key_of(text), entity_no) for entity_no, text in wanted})
    lookup = Lookup(graph_observation, OBSERVATION, (_O.content_key, _O.entity_no), is_whole=True)
    found = rows_at(connection, at.place, lookup, pairs)
    return {(row.entity_no, row.content): row for row in starmap(ObservationRow, found)}


def relations_after(connection: Connection, at: Graph, after: int, limit: int) -> list[RelationRow]:
    query = select(*RELATION).where(_of(graph_relation, at), _R.relation_no > after)
    return [RelationRow(*row) for row in connection.execute(query.order_by(_R.relation_no).limit(limit))]


def relations_touching(
    connection: Connection, at: Graph, names: Iterable[str], *, after: int = 0, limit: int | None = None
) -> list[RelationRow]:
    """Those that begin or end at one of these names, in the order in which they were made, behind `after`."""
    keys = [(key_of(name),) for name in dict.fromkeys(names)]
    found: dict[int, RelationRow] = {}
    # One index a side: with OR a planner may go through the whole graph.
    for side in (_R.from_key, _R.to_key):
        lookup = Lookup(graph_relation, RELATION, (side,))
        if limit is not None:
            lookup = replace(lookup, order=_R.relation_no, after=after, limit=limit)
        for row in starmap(RelationRow, rows_at(connection, at.place, lookup, keys)):
            found[row.relation_no] = row
    return [found[number] for number in sorted(found)][:limit]


def relations_saying(
    connection: Connection, at: Graph, triples: Iterable[tuple[str, str, str]]
) -> dict[tuple[str, str, str], RelationRow]:
    """Those of (from, to, type) that are there."""
    wanted = [(key_of(one), key_of(other), key_of(kind)) for one, other, kind in dict.fromkeys(triples)]
    lookup = Lookup(graph_relation, RELATION, (_R.from_key, _R.to_key, _R.type_key), is_whole=True)
    found = rows_at(connection, at.place, lookup, wanted)
    return {row.triple: row for row in starmap(RelationRow, found)}


def relations_numbered(connection: Connection, at: Graph, numbers: Iterable[int]) -> dict[int, RelationRow]:
    found = _among(connection, at, graph_relation, RELATION, _R.relation_no, numbers)
    return {row.relation_no: row for row in starmap(RelationRow, found)}


def add_entities(tx: Tx, graph_no: int, rows: Sequence[EntityRow]) -> None:
    _insert(tx, graph_entity, graph_no, (_entity_values(graph_no, row) for row in rows))


def put_entities(tx: Tx, graph_no: int, rows: Sequence[EntityRow]) -> None:
    """Writes these rows over those of the same numbers."""
    values = (_entity_values(graph_no, row) for row in rows)
    _update(tx, graph_entity, graph_no, ("entity_no",), values)


def remove_entities(tx: Tx, graph_no: int, numbers: Iterable[int]) -> None:
    _delete(tx, graph_entity, graph_no, [{"entity_no": number} for number in numbers])


def touch_entities(tx: Tx, graph_no: int, changes: Mapping[int, int]) -> None:
    """The entities changed now: number -> by how much their count of observations moves."""
    if not changes:
        return
    statement = (
        update(graph_entity)
        .where(_E.space_id == tx.space_id, _E.graph_no == graph_no, _E.entity_no == bindparam("number"))
        .values(
            observations=_E.observations + bindparam("moved"),
            changed_at=tx.now,
            changed_no=bindparam("ordinal"),
        )
    )
    tx.write(
        statement,
        [
            {"number": number, "moved": moved, "ordinal": tx.next_ordinal()}
            for number, moved in changes.items()
        ],
    )


def add_observations(tx: Tx, graph_no: int, rows: Sequence[ObservationRow]) -> None:
    _insert(tx, graph_observation, graph_no, map(_observation_values, rows))


def put_observations(tx: Tx, graph_no: int, rows: Sequence[ObservationRow]) -> None:
    """Writes these rows over those of the same entities and numbers."""
    key = ("entity_no", "observation_no")
    _update(tx, graph_observation, graph_no, key, map(_observation_values, rows))


def remove_observations(tx: Tx, graph_no: int, rows: Iterable[ObservationRow]) -> None:
    keys = [{"entity_no": row.entity_no, "observation_no": row.observation_no} for row in rows]
    _delete(tx, graph_observation, graph_no, keys)


def remove_observations_of(tx: Tx, graph_no: int, numbers: Iterable[int]) -> None:
    """All of these entities."""
    _delete(tx, graph_observation, graph_no, [{"entity_no": number} for number in numbers])


def move_observations(tx: Tx, graph_no: int, source: int, target: int) -> int:
    """All that is left of one entity goes to another. Returns how many."""
    mine = (_O.space_id == tx.space_id, _O.graph_no == graph_no, _O.entity_no == source)
    return tx.write(update(graph_observation).where(*mine).values(entity_no=target))


def add_relations(tx: Tx, graph_no: int, rows: Sequence[RelationRow]) -> None:
    _insert(tx, graph_relation, graph_no, map(_relation_values, rows))


def put_relations(tx: Tx, graph_no: int, rows: Sequence[RelationRow]) -> None:
    """Writes these rows over those of the same numbers."""
    _update(tx, graph_relation, graph_no, ("relation_no",), map(_relation_values, rows))


def remove_relations(tx: Tx, graph_no: int, numbers: Iterable[int]) -> None:
    _delete(tx, graph_relation, graph_no, [{"relation_no": number} for number in numbers])


def _among(
    connection: Connection,
    at: Graph,
    table: Table,
    columns: Sequence[ColumnElement[Any]],
    column: ColumnElement[Any],
    values: Iterable[Any],
) -> list[tuple[Any, ...]]:
    """The rows whose column has one of these values."""
    wanted = [(value,) for value in dict.fromkeys(values)]
    return rows_at(connection, at.place, Lookup(table, columns, (column,)), wanted)


def _insert(tx: Tx, table: Table, graph_no: int, rows: Iterable[dict[str, Any]]) -> None:
    values = [{"space_id": tx.space_id, "graph_no": graph_no, **row} for row in rows]
    if values:
        tx.write(insert(table), values)


def _update(
    tx: Tx, table: Table, graph_no: int, key: tuple[str, ...], rows: Iterable[dict[str, Any]]
) -> None:
    values = [{f"at_{name}": row.pop(name) for name in key} | row for row in rows]
    if not values:
        return
    same = [table.c[name] == bindparam(f"at_{name}") for name in key]
    set_to: dict[str, Any] = {name: bindparam(name) for name in values[0] if not name.startswith("at_")}
    mine = (table.c.space_id == tx.space_id, table.c.graph_no == graph_no)
    tx.write(update(table).where(*mine, *same).values(**set_to), values)


def _delete(tx: Tx, table: Table, graph_no: int, keys: Sequence[Mapping[str, int]]) -> None:
    """Key by key: one long list would be looked for in all that the graph has."""
    if keys:
        same = [table.c[name] == bindparam(f"at_{name}") for name in keys[0]]
        mine = (table.c.space_id == tx.space_id, table.c.graph_no == graph_no)
        values = [{f"at_{name}": value for name, value in key.items()} for key in keys]
        tx.write(delete(table).where(*mine, *same), values)


def _of(table: Table, at: Graph) -> ColumnElement[bool]:
    return and_(table.c.space_id == at.space_id, table.c.graph_no == at.graph_no)


def _key_in(graph_no: int, name: str) -> str:
    """The key of a name, such as no other graph has."""
    return key_of(f"{graph_no}\0{name}")


def _folded_in(graph_no: int, name: str) -> str:
    return key_of(f"{graph_no}\0{folded_key(name)}")


def _entity_values(graph_no: int, row: EntityRow) -> dict[str, Any]:
    return {
        "entity_no": row.entity_no,
        "name": row.name,
        "name_key": _key_in(graph_no, row.name),
        "folded_key": _folded_in(graph_no, row.name),
        "entity_type": row.entity_type,
        "status": row.status,
        "merged_into": row.merged_into,
        "observations": row.observations,
        "conversation_id": row.conversation_id,
        "created_at": row.created_at,
        "changed_at": row.changed_at,
        "changed_no": row.changed_no,
    }


def _observation_values(row: ObservationRow) -> dict[str, Any]:
    return {
        "entity_no": row.entity_no,
        "observation_no": row.observation_no,
        "content": row.content,
        "content_key": key_of(row.content),
        "confidence": row.confidence,
        "conversation_id": row.conversation_id,
        "created_at": row.created_at,
    }


def _relation_values(row: RelationRow) -> dict[str, Any]:
    return {
        "relation_no": row.relation_no,
        "from_name": row.from_name,
        "to_name": row.to_name,
        "from_key": key_of(row.from_name),
        "to_key": key_of(row.to_name),
        "relation_type": row.relation_type,
        "type_key": key_of(row.relation_type),
        "conversation_id": row.conversation_id,
        "created_at": row.created_at,
    }


def first_change_since(connection: Connection, at: Graph, moment: int) -> int | None:
    """The number of the first change at or after a moment: what it made and touched has numbers above it."""
    columns = graph_change.c
    query = select(columns.change_no).where(_of(graph_change, at), columns.at >= moment)
    found = connection.execute(query.order_by(columns.at, columns.change_no).limit(1)).scalar()
    return None if found is None else int(found)
