"""Rows that go, under the lock: entities with all that hangs on them, observations, relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import Refusal
from tarimba.graph import indexing, store
from tarimba.graph.acting import Change, Texts
from tarimba.graph.model import Deletion, NewRelation, Scope
from tarimba.graph.rows import EntityRow, Graph, ObservationRow, RelationRow
from tarimba.kernel import Kernel

# Observations and relations that one merge or delete of entities moves: PostgreSQL takes some 30 ms of this process for
# so many under the lock, SQLite 20.
ROWS_MAX: Final = 500


def read_ahead(kernel: Kernel, scope: Scope, names: Iterable[str]) -> Texts:
    """The texts of these entities as the index takes them, read before the lock is taken."""
    texts = Texts(kernel.words)
    with kernel.database.read() as connection:
        graph = store.graph_of(connection, scope)
        if graph is not None:
            rows = _whole(connection, graph, names)
            require_few(connection, graph, rows, names)
            indexed(texts, rows, store.observations_of(connection, graph, [row.entity_no for row in rows]))
    return texts


def remove_entities(change: Change, names: Sequence[str]) -> int:
    """Takes away the entities of these names, what was merged into them, and every relation of those names.

    Returns how many of the names there were.
    """
    rows = _whole(change.connection, change.graph, names)
    require_few(change.connection, change.graph, rows, names)
    numbers = [row.entity_no for row in rows]
    observations = store.observations_of(change.connection, change.graph, numbers)
    named = dict.fromkeys([*names, *(row.name for row in rows)])
    drop_relations(change, store.relations_touching(change.connection, change.graph, named))
    indexing.drop(change.tx, change.graph.graph_no, indexed(change.texts, rows, observations))
    store.remove_observations_of(change.tx, change.graph.graph_no, numbers)
    store.remove_entities(change.tx, change.graph.graph_no, numbers)
    for observation in observations:
        change.journal.observation(observation, None)
    for row in rows:
        change.journal.entity(row, None)
    change.moves(entities=-len(rows), observations=-len(observations))
    change.names |= named
    return len(set(names) & {row.name for row in rows})


def require_few(
    connection: Connection, graph: Graph, rows: Sequence[EntityRow], names: Iterable[str]
) -> None:
    """Raises 409 when more hangs on these entities than one call moves."""
    named = dict.fromkeys([*names, *(row.name for row in rows)])
    count = sum(row.observations + (row.status == "merged") for row in rows)
    if count <= ROWS_MAX:
        count += len(store.relations_touching(connection, graph, named, limit=ROWS_MAX + 1))
    if count > ROWS_MAX:
        raise Refusal(
            "conflict",
            f"More than {ROWS_MAX:,} observations, relations and merged entities hang on what is named, too many for "
            "one call: name fewer entities, or first delete some of their observations and relations.",
        )


def remove_observations(change: Change, deletions: Sequence[Deletion]) -> int:
    """Takes away what is there of these texts. Returns how many that were."""
    found = store.entities_named(change.connection, change.graph, [one.entity_name for one in deletions])
    wanted = [
        (found[one.entity_name].entity_no, text)
        for one in deletions
        if one.entity_name in found
        for text in one.texts
    ]
    rows = list(store.observations_saying(change.connection, change.graph, wanted).values())
    drop_observations(change, rows)
    fewer: dict[int, int] = {}
    for row in rows:
        fewer[row.entity_no] = fewer.get(row.entity_no, 0) - 1
    store.touch_entities(change.tx, change.graph.graph_no, fewer)
    change.names |= dict.fromkeys(one.entity_name for one in deletions)
    return len(rows)


def remove_relations(change: Change, relations: Sequence[NewRelation]) -> int:
    """Takes away what is there of these relations. Returns how many that were."""
    wanted = [(one.source, one.target, one.relation_type) for one in relations]
    rows = list(store.relations_saying(change.connection, change.graph, wanted).values())
    drop_relations(change, rows)
    change.names |= dict.fromkeys(name for one in relations for name in (one.source, one.target))
    return len(rows)


def drop_observations(change: Change, rows: Sequence[ObservationRow]) -> None:
    """Takes these rows away; the entities' own counts are the caller's."""
    number = change.graph.graph_no
    store.remove_observations(change.tx, number, rows)
    indexing.remove(change.tx, number, [(row.entity_no, change.texts.of(row.content)) for row in rows])
    for row in rows:
        change.journal.observation(row, None)
    change.moves(observations=-len(rows))


def drop_relations(change: Change, rows: Sequence[RelationRow]) -> None:
    store.remove_relations(change.tx, change.graph.graph_no, [row.relation_no for row in rows])
    for row in rows:
        change.journal.relation(row, None)
    change.moves(relations=-len(rows))


def _whole(connection: Connection, graph: Graph, names: Iterable[str]) -> list[EntityRow]:
    """The entities of these names, and what was merged into them, over however many merges."""
    level = list(store.entities_named(connection, graph, names).values())
    found = {row.entity_no: row for row in level}
    while level:
        below = store.entities_merged_into(connection, graph, [row.entity_no for row in level])
        level = [row for row in below if row.entity_no not in found]
        found |= {row.entity_no: row for row in level}
    return list(found.values())


def indexed(
    texts: Texts, rows: Sequence[EntityRow], observations: Sequence[ObservationRow]
) -> list[tuple[int, indexing.Prepared]]:
    """What the index holds of these entities: nothing of what was merged away."""
    held: list[tuple[int, indexing.Prepared]] = []
    for row in rows:
        if row.status != "merged":
            held.append((row.entity_no, texts.of(row.name, is_name=True)))
            held.append((row.entity_no, texts.of(row.entity_type)))
    return held + [(row.entity_no, texts.of(row.content)) for row in observations]
