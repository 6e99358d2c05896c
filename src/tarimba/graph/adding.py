"""Adding to the graph: entities, relations, observations. What is there already is left as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tarimba.graph import making, rules, store
from tarimba.graph.acting import Act, Change, Marks, Texts, commit
from tarimba.graph.model import (
    Added,
    AddedTo,
    Addition,
    By,
    Created,
    Entity,
    NewEntity,
    NewObservation,
    NewRelation,
    Observation,
    Related,
    Relation,
    Scope,
    Similar,
)
from tarimba.kernel import Kernel
from tarimba.storage.once import OnceKey


def create_entities(
    kernel: Kernel, scope: Scope, by: By, entities: Sequence[NewEntity], *, once_key: OnceKey | None = None
) -> Created:
    """Makes the entities whose names are free; a name that is taken is skipped, never overwritten.

    A name that differs from another by case or accents only is made, and told in `similar`. Raises 403, 409 for more
    than the graph may hold, 422.
    """
    rules.require_entities(entities)
    texts = Texts(kernel.words)
    making.prepare_entities(texts, entities)

    def work(change: Change) -> Marks:
        made = making.make_entities(change, entities)
        firsts = {place: mine[0].observation_no for place, mine in made.observations.items() if mine}
        rows = [[place, row.entity_no, firsts.get(place, 0)] for place, row in made.entities.items()]
        found = store.entities_named(change.connection, change.graph, made.similar.values())
        return {
            "made": rows,
            "similar": [[place, found[name].entity_no] for place, name in made.similar.items()],
        }

    written = commit(kernel, Act(scope, by, "create_entities"), texts, work, once_key)
    made = {place: (number, first) for place, number, first in written.marks["made"]}
    return Created(
        tuple(_entity(entities[place], by, *numbers, written.at) for place, numbers in made.items()),
        tuple(entity.name for place, entity in enumerate(entities) if place not in made),
        _similar(kernel, scope, entities, written.marks),
        written.receipt,
    )


def create_relations(
    kernel: Kernel, scope: Scope, by: By, relations: Sequence[NewRelation], *, once_key: OnceKey | None = None
) -> Related:
    """Makes the relations that are not there; one whose ends name nothing is made, and told. Raises 403 and 422."""
    rules.require_relations(relations)
    ends = list(dict.fromkeys(name for one in relations for name in (one.source, one.target)))

    def work(change: Change) -> Marks:
        joined = making.relate(change, relations)
        return {
            "made": [[place, row.relation_no] for place, row in joined.relations.items()],
            "dangling": [place for place, name in enumerate(ends) if name in set(joined.dangling)],
        }

    written = commit(kernel, Act(scope, by, "create_relations"), Texts(kernel.words), work, once_key)
    dangling = tuple(ends[place] for place in written.marks["dangling"])
    made = tuple(
        _relation(relations[place], by, number, written.at, dangling)
        for place, number in written.marks["made"]
    )
    return Related(made, len(relations) - len(made), dangling, written.receipt)


def add_observations(
    kernel: Kernel, scope: Scope, by: By, additions: Sequence[Addition], *, once_key: OnceKey | None = None
) -> Added:
    """Adds what is new to entities that are there. Raises 403, 404 and nothing is written, 409 and 422."""
    rules.require_additions(additions)
    texts = Texts(kernel.words)
    for addition in additions:
        for observation in addition.observations:
            texts.of(observation.text)

    def work(change: Change) -> Marks:
        added = making.observe(change, additions)
        said = [[one.text for one in rules.distinct(addition.observations)] for addition in additions]
        return {
            "added": [
                [mine.index(row.content) for row in rows] for mine, rows in zip(said, added, strict=True)
            ]
        }

    written = commit(kernel, Act(scope, by, "add_observations"), texts, work, once_key)
    return Added(tuple(map(_added_to, additions, written.marks["added"])), written.receipt)


def _similar(
    kernel: Kernel, scope: Scope, entities: Sequence[NewEntity], marks: Marks
) -> tuple[Similar, ...]:
    if not marks["similar"]:
        return ()
    with kernel.database.read() as connection:
        graph = store.graph_of(connection, scope)
        numbers = [number for _, number in marks["similar"]]
        found = store.entities_numbered(connection, graph, numbers) if graph else {}
    return tuple(
        Similar(entities[place].name, found[number].name)
        for place, number in marks["similar"]
        if number in found
    )


def _entity(new: NewEntity, by: By, number: int, first: int, at: int) -> Entity:
    observations = tuple(
        _observation(one, by, first + place, at) for place, one in enumerate(rules.distinct(new.observations))
    )
    return Entity(
        number,
        new.name,
        new.entity_type,
        "active",
        None,
        new.conversation_id or by.conversation_id,
        at if new.created_at is None else new.created_at,
        at,
        observations,
        len(observations),
    )


def _observation(new: NewObservation, by: By, number: int, at: int) -> Observation:
    created_at = at if new.created_at is None else new.created_at
    confidence = rules.fraction(rules.millionths(new.confidence))
    return Observation(number, new.text, confidence, new.conversation_id or by.conversation_id, created_at)


def _relation(new: NewRelation, by: By, number: int, at: int, dangling: Sequence[str]) -> Relation:
    return Relation(
        number,
        *making.triple(new),
        new.conversation_id or by.conversation_id,
        at if new.created_at is None else new.created_at,
        not {new.source, new.target}.isdisjoint(dangling),
    )


def _added_to(addition: Addition, places: list[Any]) -> AddedTo:
    said = rules.distinct(addition.observations)
    added = tuple(said[place].text for place in places)
    return AddedTo(addition.entity_name, added, len(addition.observations) - len(added))
