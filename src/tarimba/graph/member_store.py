"""SQL of what a member looks at in their graph. No decisions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, select, tuple_, update

from tarimba.graph.rows import EntityRow, Graph, ObservationRow, RelationRow
from tarimba.graph.rules import key_of
from tarimba.graph.store import ENTITY, OBSERVATION, RELATION
from tarimba.storage import Tx
from tarimba.storage.tables import graph_change, graph_entity, graph_observation, graph_relation

_E, _O, _R, _C = graph_entity.c, graph_observation.c, graph_relation.c, graph_change.c
_CHANGE: Final[tuple[ColumnElement[Any], ...]] = (
    _C.change_no, _C.change_id, _C.action, _C.actor_type, _C.actor_id, _C.conversation_id, _C.undone_by,
    _C.receipt_id, _C.at, func.length(_C.before).label("size"),
)  # fmt: skip


def entities(
    connection: Connection, at: Graph, status: str, type_: str | None, *, after: int, limit: int
) -> list[EntityRow]:
    """Of one status, and of one type if that is given, in the order in which they were made."""
    wanted = [_E.space_id == at.space_id, _E.graph_no == at.graph_no, _E.status == status]
    if type_ is not None:
        wanted.append(_E.entity_type == type_)
    query = select(*ENTITY).where(*wanted, _E.entity_no > after).order_by(_E.entity_no).limit(limit)
    return [EntityRow(*row) for row in connection.execute(query)]


def types(connection: Connection, at: Graph, status: str, limit: int) -> list[tuple[str, int]]:
    """The most frequent types among the entities of a status, with their counts."""
    number = func.count()
    query = (
        select(_E.entity_type, number)
        .where(_E.space_id == at.space_id, _E.graph_no == at.graph_no, _E.status == status)
        .group_by(_E.entity_type)
        .order_by(number.desc(), _E.entity_type)
        .limit(limit)
    )
    return [(row[0], int(row[1])) for row in connection.execute(query)]


def observations_after(
    connection: Connection, at: Graph, entity_no: int, after: int, limit: int
) -> list[ObservationRow]:
    """Of one entity, from the number behind `after`."""
    mine = (_O.space_id == at.space_id, _O.graph_no == at.graph_no, _O.entity_no == entity_no)
    query = select(*OBSERVATION).where(*mine, _O.observation_no > after)
    query = query.order_by(_O.observation_no).limit(limit)
    return [ObservationRow(*row) for row in connection.execute(query)]


def relations_at(connection: Connection, at: Graph, names: Collection[str], limit: int) -> list[RelationRow]:
    """Those that begin or end at one of the names, the oldest `limit` of them."""
    found: dict[int, RelationRow] = {}
    # One index a side: with OR a planner may go through the whole graph.
    for side in (_R.from_key, _R.to_key):
        for keys in parts([key_of(name) for name in names]):
            query = select(*RELATION).where(
                _R.space_id == at.space_id, _R.graph_no == at.graph_no, side.in_(keys)
            )
            for row in connection.execute(query.order_by(_R.relation_no).limit(limit)):
                found[row.relation_no] = RelationRow(*row)
    return [found[number] for number in sorted(found)][:limit]


def observation(connection: Connection, at: Graph, entity_no: int, key: str) -> ObservationRow | None:
    """The observation of an entity whose text has this key."""
    mine = (_O.space_id == at.space_id, _O.graph_no == at.graph_no, _O.entity_no == entity_no)
    row = connection.execute(select(*OBSERVATION).where(*mine, _O.content_key == key)).first()
    return None if row is None else ObservationRow(*row)


def learned_entities(
    connection: Connection, at: Graph, conversation_id: str, after: int, limit: int
) -> list[EntityRow]:
    mine = (_E.space_id == at.space_id, _E.graph_no == at.graph_no, _E.conversation_id == conversation_id)
    query = select(*ENTITY).where(*mine, _E.entity_no > after).order_by(_E.entity_no).limit(limit)
    return [EntityRow(*row) for row in connection.execute(query)]


def learned_observations(
    connection: Connection, at: Graph, conversation_id: str, after: int, limit: int
) -> list[tuple[str, ObservationRow]]:
    """With the name of the entity that each is of."""
    mine = (_O.space_id == at.space_id, _O.graph_no == at.graph_no, _O.conversation_id == conversation_id)
    theirs = and_(_E.space_id == _O.space_id, _E.graph_no == _O.graph_no, _E.entity_no == _O.entity_no)
    query = (
        select(_E.name, *OBSERVATION)
        .join_from(graph_observation, graph_entity, theirs)
        .where(*mine, _O.observation_no > after)
        .order_by(_O.observation_no)
        .limit(limit)
    )
    return [(row[0], ObservationRow(*row[1:])) for row in connection.execute(query)]


def learned_relations(
    connection: Connection, at: Graph, conversation_id: str, after: int, limit: int
) -> list[RelationRow]:
    mine = (_R.space_id == at.space_id, _R.graph_no == at.graph_no, _R.conversation_id == conversation_id)
    query = select(*RELATION).where(*mine, _R.relation_no > after).order_by(_R.relation_no).limit(limit)
    return [RelationRow(*row) for row in connection.execute(query)]


def observations_at(
    connection: Connection, at: Graph, places: Collection[tuple[int, int]]
) -> dict[int, ObservationRow]:
    """What stands at these places (entity, number), by number."""
    mine = (_O.space_id == at.space_id, _O.graph_no == at.graph_no)
    found: dict[int, ObservationRow] = {}
    for part in parts(sorted(places)):
        query = select(*OBSERVATION).where(*mine, tuple_(_O.entity_no, _O.observation_no).in_(part))
        found |= {row.observation_no: ObservationRow(*row) for row in connection.execute(query)}
    return found


def has_observations_beside(
    connection: Connection, at: Graph, entity_no: int, numbers: Collection[int]
) -> bool:
    """Whether the entity has an observation that is none of these numbers."""
    mine = (_O.space_id == at.space_id, _O.graph_no == at.graph_no, _O.entity_no == entity_no)
    query = select(_O.observation_no).where(*mine).order_by(_O.observation_no).limit(len(numbers) + 1)
    return any(row.observation_no not in numbers for row in connection.execute(query))


def changes(connection: Connection, at: Graph, before: int | None, limit: int) -> Sequence[Row[Any]]:
    """The latest first, with how long is what they would be undone by."""
    query: Select[Any] = select(*_CHANGE).where(_C.space_id == at.space_id, _C.graph_no == at.graph_no)
    if before is not None:
        query = query.where(_C.change_no < before)
    return connection.execute(query.order_by(_C.change_no.desc()).limit(limit)).all()


def befores(connection: Connection, at: Graph, numbers: Sequence[int]) -> dict[int, str]:
    """What these changes are undone by."""
    mine = (_C.space_id == at.space_id, _C.graph_no == at.graph_no, _C.change_no.in_(numbers))
    return {
        row.change_no: row.before for row in connection.execute(select(_C.change_no, _C.before).where(*mine))
    }


def names_of(connection: Connection, at: Graph, numbers: Collection[int]) -> dict[int, str]:
    """The names of those of these entities that are there."""
    mine = (_E.space_id == at.space_id, _E.graph_no == at.graph_no, _E.entity_no.in_(sorted(numbers)))
    return {row.entity_no: row.name for row in connection.execute(select(_E.entity_no, _E.name).where(*mine))}


def sources_of(connection: Connection, at: Graph, numbers: Collection[int]) -> dict[int, str]:
    """The entities that those of these relations that are there go out from."""
    mine = (_R.space_id == at.space_id, _R.graph_no == at.graph_no, _R.relation_no.in_(sorted(numbers)))
    query = select(_R.relation_no, _R.from_name).where(*mine)
    return {row.relation_no: row.from_name for row in connection.execute(query)}


def whole_changes(connection: Connection, at: Graph, before: int | None, limit: int) -> Sequence[Row[Any]]:
    """As `changes`, with what each is undone by."""
    query: Select[Any] = select(*_CHANGE, _C.before).where(
        _C.space_id == at.space_id, _C.graph_no == at.graph_no
    )
    if before is not None:
        query = query.where(_C.change_no < before)
    return connection.execute(query.order_by(_C.change_no.desc()).limit(limit)).all()


def change(connection: Connection, at: Graph, change_id: str) -> Row[Any] | None:
    """One change, with what it is undone by in `before`."""
    mine = (_C.space_id == at.space_id, _C.graph_no == at.graph_no)
    query: Select[Any] = select(*_CHANGE, _C.before).where(*mine, _C.change_id == change_id)
    return connection.execute(query).first()


def mark_undone(tx: Tx, at: Graph, change_id: str, undone_by: str) -> None:
    """The change is undone by another; what it had undone itself stands again."""
    mine = (_C.space_id == at.space_id, _C.graph_no == at.graph_no)
    tx.write(update(graph_change).where(*mine, _C.undone_by == change_id).values(undone_by=None))
    tx.write(update(graph_change).where(*mine, _C.change_id == change_id).values(undone_by=undone_by))


def spaces_with_old_changes(connection: Connection, since: int, until: int) -> list[str]:
    """The spaces that have a change of that time by which something could be undone."""
    query = select(_C.space_id).where(_C.at >= since, _C.at < until, _C.before != "").distinct()
    return list(connection.scalars(query))


def forget_old(tx: Tx, until: int, limit: int) -> int:
    """Empties what older changes were undone by. Returns how many there were."""
    old = (_C.space_id == tx.space_id, _C.at < until, _C.before != "")
    ids = [row.change_id for row in tx.all(select(_C.change_id).where(*old).limit(limit))]
    if ids:
        mine = (_C.space_id == tx.space_id, _C.change_id.in_(ids))
        tx.write(update(graph_change).where(*mine).values(before=""))
    return len(ids)


def parts(values: Sequence[Any], size: int = 500) -> list[Sequence[Any]]:
    """SQLite takes 32,766 parameters in a statement."""
    return [values[first : first + size] for first in range(0, len(values), size)]


def observations_since(connection: Connection, at: Graph, since: int, limit: int) -> list[ObservationRow]:
    """Those that were made after that number: of entities made after it first."""
    mine = (_O.space_id == at.space_id, _O.graph_no == at.graph_no)
    for which in ((_O.entity_no > since,), (_O.entity_no <= since, _O.observation_no > since)):
        query = select(*OBSERVATION).where(*mine, *which).limit(limit)
        rows = connection.execute(query).all()
        if rows:
            return [ObservationRow(*row) for row in rows]
    return []
