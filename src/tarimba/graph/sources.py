"""Where the entities and relations of a read come from: the whole graph, named entities, or what changed last."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from sqlalchemy import Connection

from tarimba.graph import rules, store
from tarimba.graph.model import Observation, Relation
from tarimba.graph.rows import EntityRow, Graph, ObservationRow, RelationRow

# Observations that are loaded at once: few enough for one answer's time, more than most answers show.
_TOGETHER: Final = 300


class Source(Protocol):
    """Entities, then relations, each in an order in which a number says where to go on."""

    @property
    def graph(self) -> Graph: ...

    def entities(self, connection: Connection, after: int, limit: int) -> list[EntityRow]:
        """`after` is the place of the last one, 0 at the beginning."""
        ...

    def place(self, row: EntityRow) -> int: ...

    def relations(self, connection: Connection, after: int, limit: int) -> list[RelationRow]: ...

    def hides(self, status: str) -> bool:
        """Whether a relation with an end of this status is left out."""
        ...


@dataclass(frozen=True, slots=True)
class Whole:
    """Everything, as it was made."""

    graph: Graph
    statuses: Collection[str]

    def entities(self, connection: Connection, after: int, limit: int) -> list[EntityRow]:
        return store.entities_after(connection, self.graph, after, self.statuses, limit)

    def place(self, row: EntityRow) -> int:
        return row.entity_no

    def relations(self, connection: Connection, after: int, limit: int) -> list[RelationRow]:
        return store.relations_after(connection, self.graph, after, limit)

    def hides(self, status: str) -> bool:
        return status == "archived" and status not in self.statuses


@dataclass(slots=True)
class Named:
    """Entities of these names, as they were made, and the relations that touch them."""

    graph: Graph
    statuses: Collection[str]
    names: Sequence[str]
    _rows: list[EntityRow] | None = field(default=None)

    def entities(self, connection: Connection, after: int, limit: int) -> list[EntityRow]:
        return [row for row in self._all(connection) if row.entity_no > after][:limit]

    def place(self, row: EntityRow) -> int:
        return row.entity_no

    def relations(self, connection: Connection, after: int, limit: int) -> list[RelationRow]:
        names = [row.name for row in self._all(connection)]
        return store.relations_touching(connection, self.graph, names, after=after, limit=limit)

    def hides(self, status: str) -> bool:
        del status  # who names an entity sees how it stands to others, put away or not
        return False

    def _all(self, connection: Connection) -> list[EntityRow]:
        if self._rows is None:
            found = store.entities_named(connection, self.graph, self.names).values()
            shown = (row for row in found if row.status in self.statuses)
            self._rows = sorted(shown, key=lambda row: row.entity_no)
        return self._rows


@dataclass(frozen=True, slots=True)
class Recent:
    """What changed since a change, the last first, and the relations made since."""

    graph: Graph
    since: int

    def entities(self, connection: Connection, after: int, limit: int) -> list[EntityRow]:
        return store.entities_changed(connection, self.graph, self.since, after or None, limit)

    def place(self, row: EntityRow) -> int:
        return row.changed_no

    def relations(self, connection: Connection, after: int, limit: int) -> list[RelationRow]:
        return store.relations_after(connection, self.graph, max(after, self.since), limit)

    def hides(self, status: str) -> bool:
        del status  # it changed, whatever it is now
        return False


def observed(
    connection: Connection, graph: Graph, rows: Sequence[EntityRow], most: int | None
) -> Iterator[tuple[EntityRow, list[ObservationRow]]]:
    """The first observations of each entity: at most `most`, and never more than some hundreds."""
    for together in _groups(rows):
        numbers = [row.entity_no for row in together]
        found: dict[int, list[ObservationRow]] = {number: [] for number in numbers}
        if most != 0:
            limit = min(most or _TOGETHER, _TOGETHER) if len(together) == 1 else None
            for one in store.observations_of(connection, graph, numbers, limit=limit):
                found[one.entity_no].append(one)
        for row in together:
            yield row, found[row.entity_no][:most]


def more_of(connection: Connection, graph: Graph, entity_no: int, after: int) -> list[ObservationRow]:
    """The observations of one entity that follow."""
    return store.observations_of(connection, graph, [entity_no], after=after, limit=_TOGETHER)


def shown_relations(
    connection: Connection, source: Source, rows: Sequence[RelationRow]
) -> Iterator[tuple[RelationRow, Relation | None]]:
    """Each as a read shows it, None where it is left out."""
    names = {name for row in rows for name in (row.from_name, row.to_name)}
    there = store.statuses(connection, source.graph, names)
    for row in rows:
        ends = [there.get(rules.key_of(name), "merged") for name in (row.from_name, row.to_name)]
        hidden = any(source.hides(status) for status in ends)
        yield row, None if hidden else relation_of(row, is_dangling="merged" in ends)


def relation_of(row: RelationRow, *, is_dangling: bool) -> Relation:
    return Relation(row.relation_no, *row.triple, row.conversation_id, row.created_at, is_dangling)


def observation_of(row: ObservationRow) -> Observation:
    confidence = rules.fraction(row.confidence)
    return Observation(row.observation_no, row.content, confidence, row.conversation_id, row.created_at)


def _groups(rows: Sequence[EntityRow]) -> Iterator[list[EntityRow]]:
    """Neighbours that are loaded together; one with many observations alone."""
    together: list[EntityRow] = []
    count = 0
    for row in rows:
        if together and count + row.observations > _TOGETHER:
            yield together
            together, count = [], 0
        together.append(row)
        count += row.observations
    if together:
        yield together
