"""One entity becomes part of another, under the lock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from tarimba.graph import indexing, removing, store
from tarimba.graph.acting import Change, Marks
from tarimba.graph.rows import EntityRow, ObservationRow, RelationRow

Work: TypeAlias = Callable[[Change], Marks]


def merge(change: Change, source: EntityRow, target: EntityRow) -> None:
    """Observations that `target` has, relations that it has, and relations between the two are there once or go."""
    removing.require_few(change.connection, change.graph, [source], [source.name])
    moved, double = _observations(change, source, target)
    _relations(change, source, target)
    number = change.graph.graph_no
    texts = change.texts
    gone = [texts.of(source.name, is_name=True), texts.of(source.entity_type)]
    said = [texts.of(row.content) for row in [*moved, *double]]
    indexing.drop(change.tx, number, [(source.entity_no, text) for text in [*gone, *said]])
    _move(change, source, target, moved, double)
    indexing.add(change.tx, number, [(target.entity_no, texts.of(row.content)) for row in moved])
    _close(change, source, target, len(moved))
    change.names |= dict.fromkeys([source.name, target.name])


def _observations(
    change: Change, source: EntityRow, target: EntityRow
) -> tuple[list[ObservationRow], list[ObservationRow]]:
    """What moves, and what the target has already."""
    mine = store.observations_of(change.connection, change.graph, [source.entity_no])
    wanted = [(target.entity_no, row.content) for row in mine]
    there = store.observations_saying(change.connection, change.graph, wanted)
    double = [row for row in mine if (target.entity_no, row.content) in there]
    moved = [row for row in mine if (target.entity_no, row.content) not in there]
    return moved, double


def _move(
    change: Change,
    source: EntityRow,
    target: EntityRow,
    moved: list[ObservationRow],
    double: list[ObservationRow],
) -> None:
    number = change.graph.graph_no
    store.remove_observations(change.tx, number, double)
    for row in double:
        change.journal.observation(row, None)
    change.moves(observations=-len(double))
    store.move_observations(change.tx, number, source.entity_no, target.entity_no)
    for row in moved:
        change.journal.observation(row, replace(row, entity_no=target.entity_no))


def _relations(change: Change, source: EntityRow, target: EntityRow) -> None:
    before = store.relations_touching(change.connection, change.graph, [source.name])
    after = [rewired(row, source.name, target.name) for row in before]
    known = set(store.relations_saying(change.connection, change.graph, [row.triple for row in after]))
    kept: list[RelationRow] = []
    gone: list[RelationRow] = []
    for old, new in zip(before, after, strict=True):
        # What told how the two stand to each other says nothing of one.
        if new.triple in known or (new.from_name == new.to_name and old.from_name != old.to_name):
            gone.append(old)
        else:
            known.add(new.triple)
            kept.append(new)
            change.journal.relation(old, new)
    removing.drop_relations(change, gone)
    store.put_relations(change.tx, change.graph.graph_no, kept)


def rewired(row: RelationRow, source: str, target: str) -> RelationRow:
    """The relation with one name in place of another at its ends."""
    from_name = target if row.from_name == source else row.from_name
    to_name = target if row.to_name == source else row.to_name
    return replace(row, from_name=from_name, to_name=to_name)


def _close(change: Change, source: EntityRow, target: EntityRow, moved: int) -> None:
    tx, number = change.tx, change.graph.graph_no
    after = replace(
        source,
        status="merged",
        merged_into=target.entity_no,
        observations=0,
        changed_at=tx.now,
        changed_no=tx.next_ordinal(),
    )
    store.put_entities(tx, number, [after])
    change.journal.entity(source, after)
    store.touch_entities(tx, number, {target.entity_no: moved})
