"""SQL of a file that goes into a graph in parts: the graph is closed meanwhile, and what is given up is taken out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select, update

from tarimba.graph import indexing, member_store, removing, store
from tarimba.graph.acting import Texts
from tarimba.graph.rows import EntityRow, Graph, ObservationRow
from tarimba.receipts.model import Actor
from tarimba.storage import Tx
from tarimba.storage.tables import graph, graph_relation

WORKER: Final = Actor("system", "worker")
_ROWS: Final = 200
Held = list[tuple[int, indexing.Prepared]]


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that an import stored."""

    entities: tuple[EntityRow, ...]
    observations: tuple[ObservationRow, ...]
    relations: tuple[int, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.entities or self.observations or self.relations)

    @property
    def counts(self) -> dict[str, int]:
        return {
            "entities": -len(self.entities),
            "observations": -len(self.observations),
            "relations": -len(self.relations),
        }


def close(tx: Tx, graph_no: int, since: int | None) -> None:
    """From now on nobody sees the graph, but who takes the file in; None opens it again."""
    mine = (graph.c.space_id == tx.space_id, graph.c.graph_no == graph_no)
    tx.write(update(graph).where(*mine).values(arriving=since))


def part_since(connection: Connection, space_id: str, graph_no: int, since: int) -> Part:
    """Some of what was made after that number: relations and observations before the entities that they are of."""
    at = Graph(space_id, graph_no, 0, 0, 0)
    columns = graph_relation.c
    mine = (columns.space_id == space_id, columns.graph_no == graph_no, columns.relation_no > since)
    numbers = connection.scalars(select(columns.relation_no).where(*mine).limit(_ROWS)).all()
    seen = member_store.observations_since(connection, at, since, _ROWS)
    if numbers or seen:
        return Part((), tuple(seen), tuple(numbers))
    return Part(
        tuple(store.entities_after(connection, at, since, ("active", "archived", "merged"), _ROWS)), (), ()
    )


def indexed(texts: Texts, part: Part) -> Held:
    """What the index holds of these rows."""
    return removing.indexed(texts, part.entities, part.observations)


def take_out(tx: Tx, graph_no: int, part: Part, held: Held) -> None:
    """Takes these rows away; entities that were there before the import have so many observations fewer."""
    if part.entities:
        indexing.drop(tx, graph_no, held)
    else:
        indexing.remove(tx, graph_no, held)
    store.remove_relations(tx, graph_no, part.relations)
    store.remove_observations(tx, graph_no, part.observations)
    store.remove_entities(tx, graph_no, [row.entity_no for row in part.entities])
    store.touch_entities(tx, graph_no, _fewer(row.entity_no for row in part.observations))
    counts = part.counts
    store.count(tx, graph_no, counts["entities"], counts["observations"], counts["relations"])


def _fewer(numbers: Iterable[int]) -> dict[int, int]:
    fewer: dict[int, int] = {}
    for number in numbers:
        fewer[number] = fewer.get(number, 0) - 1
    return fewer
