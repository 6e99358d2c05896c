"""New rows under the lock: entities with their observations, observations of entities that are there, relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tarimba.errors import Refusal
from tarimba.graph import indexing, rules, store
from tarimba.graph.acting import Change, Texts
from tarimba.graph.model import Addition, NewEntity, NewObservation, NewRelation
from tarimba.graph.rows import EntityRow, ObservationRow, RelationRow


@dataclass(frozen=True, slots=True)
class Made:
    """The entities that are new, by their place in the request. `similar`: place -> the name that was there."""

    entities: dict[int, EntityRow]
    observations: dict[int, list[ObservationRow]]
    similar: dict[int, str]


@dataclass(frozen=True, slots=True)
class Joined:
    """The relations that are new, by their place in the request, and the ends that name no entity."""

    relations: dict[int, RelationRow]
    dangling: tuple[str, ...]


def prepare_entities(texts: Texts, entities: Sequence[NewEntity]) -> None:
    for entity in entities:
        texts.of(entity.name, is_name=True)
        texts.of(entity.entity_type)
        for observation in entity.observations:
            texts.of(observation.text)


def make_entities(change: Change, entities: Sequence[NewEntity]) -> Made:
    """Makes those whose names are free; a name is made once. Raises 409 for more than the graph may hold."""
    names = [entity.name for entity in entities]
    taken = set(store.entities_named(change.connection, change.graph, names))
    new: dict[int, NewEntity] = {}
    for place, entity in enumerate(entities):
        if entity.name not in taken:
            taken.add(entity.name)
            new[place] = entity
    similar = _similar(change, new)
    rows = {place: _entity_row(change, entity) for place, entity in new.items()}
    observations = {
        place: list(_observation_rows(change, rows[place].entity_no, entity.observations))
        for place, entity in new.items()
    }
    _keep(change, list(rows.values()), [one for mine in observations.values() for one in mine])
    return Made(rows, observations, similar)


def observe(change: Change, additions: Sequence[Addition]) -> list[list[ObservationRow]]:
    """What is new of each addition. Raises 404 for an entity that is not there: nothing is written then."""
    found = store.entities_named(change.connection, change.graph, [one.entity_name for one in additions])
    for place, addition in enumerate(additions):
        _require_there(found.get(addition.entity_name), place)
    numbers = {name: row.entity_no for name, row in found.items()}
    wanted = [(numbers[one.entity_name], new.text) for one in additions for new in one.observations]
    known = set(store.observations_saying(change.connection, change.graph, wanted))
    added: list[list[ObservationRow]] = []
    for addition in additions:
        number = numbers[addition.entity_name]
        new = [one for one in rules.distinct(addition.observations) if (number, one.text) not in known]
        known |= {(number, one.text) for one in new}
        added.append(list(_observation_rows(change, number, new)))
    rows = [row for mine in added for row in mine]
    _add_observations(change, rows)
    more: dict[int, int] = {}
    for row in rows:
        more[row.entity_no] = more.get(row.entity_no, 0) + 1
    store.touch_entities(change.tx, change.graph.graph_no, more)
    indexing.add(
        change.tx, change.graph.graph_no, [(row.entity_no, change.texts.of(row.content)) for row in rows]
    )
    change.names |= dict.fromkeys(one.entity_name for one in additions)
    return added


def relate(change: Change, relations: Sequence[NewRelation]) -> Joined:
    """Makes those that are not there; an end may name nothing."""
    known = set(store.relations_saying(change.connection, change.graph, map(triple, relations)))
    rows: dict[int, RelationRow] = {}
    for place, relation in enumerate(relations):
        if triple(relation) not in known:
            known.add(triple(relation))
            rows[place] = _relation_row(change, relation)
    change.moves(relations=len(rows))
    store.add_relations(change.tx, change.graph.graph_no, list(rows.values()))
    for row in rows.values():
        change.journal.relation(None, row)
    ends = dict.fromkeys(name for relation in relations for name in (relation.source, relation.target))
    there = store.statuses(change.connection, change.graph, ends)
    change.names |= ends
    return Joined(rows, tuple(name for name in ends if there.get(rules.key_of(name), "merged") == "merged"))


def triple(relation: NewRelation) -> tuple[str, str, str]:
    return relation.source, relation.target, relation.relation_type


def _require_there(row: EntityRow | None, place: int) -> None:
    if row is None:
        rule = "there is no such entity: create it first. Nothing of this call was written."
        raise Refusal("not_found", f"observations[{place}].entityName: {rule}")
    if row.status == "merged":
        rule = "this entity was merged into another: name that one. Nothing of this call was written."
        raise Refusal("conflict", f"observations[{place}].entityName: {rule}")


def _similar(change: Change, new: dict[int, NewEntity]) -> dict[int, str]:
    """The oldest name, there or in the call itself, from which each differs by case or accents only."""
    names = [entity.name for entity in new.values()]
    first: dict[str, str] = {}
    for key, name in store.entities_folded(change.connection, change.graph, names):
        first.setdefault(key, name)
    similar: dict[int, str] = {}
    for place, entity in new.items():
        key = rules.folded_key(entity.name)
        if key in first:
            similar[place] = first[key]
        else:
            first[key] = entity.name
    return similar


def _keep(change: Change, rows: list[EntityRow], observations: list[ObservationRow]) -> None:
    change.moves(entities=len(rows))
    store.add_entities(change.tx, change.graph.graph_no, rows)
    for row in rows:
        change.journal.entity(None, row)
        change.names[row.name] = None
    _add_observations(change, observations)
    texts = change.texts
    named = [(row.entity_no, texts.of(row.name, is_name=True)) for row in rows]
    typed = [(row.entity_no, texts.of(row.entity_type)) for row in rows]
    said = [(row.entity_no, texts.of(row.content)) for row in observations]
    indexing.add(change.tx, change.graph.graph_no, [*named, *typed, *said])


def _add_observations(change: Change, rows: list[ObservationRow]) -> None:
    change.moves(observations=len(rows))
    store.add_observations(change.tx, change.graph.graph_no, rows)
    for row in rows:
        change.journal.observation(None, row)


def _entity_row(change: Change, entity: NewEntity) -> EntityRow:
    number = change.tx.next_ordinal()
    created_at = change.tx.now if entity.created_at is None else entity.created_at
    return EntityRow(
        number,
        entity.name,
        entity.entity_type,
        "active",
        None,
        len(rules.distinct(entity.observations)),
        entity.conversation_id or change.by.conversation_id,
        created_at,
        changed_at=change.tx.now,
        changed_no=number,
    )


def _observation_rows(
    change: Change, entity_no: int, observations: Sequence[NewObservation]
) -> Iterator[ObservationRow]:
    for one in rules.distinct(observations):
        yield ObservationRow(
            entity_no,
            change.tx.next_ordinal(),
            one.text,
            rules.millionths(one.confidence),
            one.conversation_id or change.by.conversation_id,
            change.tx.now if one.created_at is None else one.created_at,
        )


def _relation_row(change: Change, relation: NewRelation) -> RelationRow:
    return RelationRow(
        change.tx.next_ordinal(),
        *triple(relation),
        relation.conversation_id or change.by.conversation_id,
        change.tx.now if relation.created_at is None else relation.created_at,
    )
