"""Which entities a change was about, by the names that they have now, or had when it took them away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row

from tarimba.graph import member_store
from tarimba.graph.changes import steps_json
from tarimba.graph.rows import Graph

NAMED_MAX: Final = 3
# A larger change (an import, the forgetting of much) is told by its kind alone.
_SIZE_MAX: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Named:
    """An entity by its name. `is_there`: it can be opened."""

    name: str
    is_there: bool


@dataclass(frozen=True, slots=True)
class Touched:
    """The first few entities of a change, and how many more there are; none once its time to be undone is over."""

    named: tuple[Named, ...] = ()
    more: int = 0


def touched(connection: Connection, at: Graph, rows: Sequence[Row[Any]]) -> dict[int, Touched]:
    """By the number of each change. Three queries, however many changes."""
    small = [row.change_no for row in rows if 0 < row.size <= _SIZE_MAX]
    steps = {no: steps_json(before) for no, before in member_store.befores(connection, at, small).items()}
    every = [step for found in steps.values() for step in found]
    entities = member_store.names_of(connection, at, {_entity_of(step) for step in every} - {0})
    made = {step[1] for step in every if step[0] == "r" and step[3] is None}
    relations = member_store.sources_of(connection, at, made)
    return {no: _touched(dict(_names(found, entities, relations))) for no, found in steps.items()}


def _touched(names: dict[str, bool]) -> Touched:
    named = tuple(Named(name, is_there) for name, is_there in names.items())
    return Touched(named[:NAMED_MAX], max(len(named) - NAMED_MAX, 0))


def _entity_of(step: list[Any]) -> int:
    """The number of the entity that a step is about, 0 for that of a relation."""
    kind, number, within, *_ = step
    return int({"e": number, "o": within}.get(kind, 0))


def _names(
    steps: list[Any], entities: dict[int, str], relations: dict[int, str]
) -> Iterator[tuple[str, bool]]:
    for step in steps:
        kind, number, _, before, _ = step
        if kind == "r":
            source = before[0] if before is not None else relations.get(number)
            if source is not None:
                yield source, source in entities.values()
        elif _entity_of(step) in entities:
            yield entities[_entity_of(step)], True
        elif kind == "e" and before is not None:
            yield before[0], False
