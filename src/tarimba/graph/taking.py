"""Taking entries of a file into a graph, under the lock: what is new is made, what is there is left as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tarimba.graph import indexing, making, settling, store
from tarimba.graph.acting import Change, Texts
from tarimba.graph.entries import EntityRecord, Fault, Record, RelationRecord
from tarimba.graph.model import Addition, NewEntity, NewRelation
from tarimba.graph.rows import EntityRow


@dataclass(slots=True)
class Taken:
    """What came of entries: how much was new, how much was there already, and what was refused."""

    entities: int = 0
    observations: int = 0
    relations: int = 0
    known: int = 0
    refused: list[Fault] = field(default_factory=list)

    def add(self, more: Taken) -> None:
        self.entities += more.entities
        self.observations += more.observations
        self.relations += more.relations
        self.known += more.known
        self.refused += more.refused

    @property
    def counts(self) -> dict[str, int]:
        return {
            "entities": self.entities,
            "observations": self.observations,
            "relations": self.relations,
            "known": self.known,
        }


def prepare(texts: Texts, records: Iterable[Record]) -> None:
    """What the index takes of these entries, before the lock is taken."""
    for one in records:
        if isinstance(one, EntityRecord):
            making.prepare_entities(texts, [NewEntity(one.name, one.entity_type, one.observations)])


def take(change: Change, records: Sequence[Record]) -> Taken:
    """Entries in their order. An entity that was merged away comes without observations: `settle` sees to them."""
    taken = Taken()
    _take_entities(change, [one for one in records if isinstance(one, EntityRecord)], taken)
    relations = [one for one in records if isinstance(one, RelationRecord)]
    wanted = [
        NewRelation(one.source, one.target, one.relation_type, one.conversation_id, one.created_at)
        for one in relations
    ]
    made = making.relate(change, wanted)
    taken.relations += len(made.relations)
    taken.known += len(wanted) - len(made.relations)
    return taken


def settle(change: Change, records: Sequence[EntityRecord], since: int) -> Taken:
    """Merges what the file says was merged: entities made after the number `since` become part of what they name.

    Their observations go to what they are part of in the end.
    """
    taken = Taken()
    names = [name for one in records for name in (one.name, one.merged_into) if name is not None]
    found = store.entities_named(change.connection, change.graph, names)
    additions: list[Addition] = []
    for one in records:
        row = found[one.name]
        target = found.get(one.merged_into or "")
        if row.entity_no > since and row.status == "archived":
            why_not = _why_apart(change, row, target)
            if why_not or target is None:
                taken.refused.append(
                    Fault(one.where, f"mergedInto: {why_not}; the entity was kept, archived")
                )
            else:
                row = found[one.name] = _merged(change, row, target)
        home = _home(change, row)
        at = store.entities_numbered(change.connection, change.graph, [home]).get(home)
        if at is not None and one.observations:
            additions.append(Addition(at.name, one.observations))
    _observe(change, additions, taken)
    return taken


def _why_apart(change: Change, row: EntityRow, target: EntityRow | None) -> str:
    """Why an entity can't become part of what it names; empty where it can."""
    if target is None:
        return "names no entity"
    if target.entity_no == row.entity_no:
        return "names the entity itself"
    return "goes round in a circle" if _home(change, target) == row.entity_no else ""


def _take_entities(change: Change, records: Sequence[EntityRecord], taken: Taken) -> None:
    there = store.entities_named(change.connection, change.graph, [one.name for one in records])
    first: dict[str, EntityRecord] = {}
    later: list[EntityRecord] = []
    for one in records:
        if one.name in there or one.name in first:
            later.append(one)
        else:
            first[one.name] = one
    new = list(first.values())
    made = making.make_entities(change, [_new(one) for one in new])
    for place, row in made.entities.items():
        if new[place].is_archived or new[place].merged_into is not None:
            settling.put(change, row, "archived")
    taken.entities += len(new)
    taken.observations += sum(map(len, made.observations.values()))
    taken.known += len(later)
    additions: list[Addition] = []
    for one in later:
        present = there.get(one.name)
        if one.merged_into is not None or not one.observations:
            continue
        if present is not None and present.status == "merged":
            taken.refused.append(Fault(one.where, "name: is that of an entity that was merged into another"))
        else:
            additions.append(Addition(one.name, one.observations))
    _observe(change, additions, taken)


def _observe(change: Change, additions: Sequence[Addition], taken: Taken) -> None:
    added = making.observe(change, additions) if additions else []
    count = sum(map(len, added))
    taken.observations += count
    taken.known += sum(len(one.observations) for one in additions) - count


def _new(one: EntityRecord) -> NewEntity:
    observations = () if one.merged_into is not None else one.observations
    return NewEntity(one.name, one.entity_type, observations, one.conversation_id, one.created_at)


def _merged(change: Change, row: EntityRow, target: EntityRow) -> EntityRow:
    tx, texts = change.tx, change.texts
    after = replace(
        row,
        status="merged",
        merged_into=target.entity_no,
        changed_at=tx.now,
        changed_no=tx.next_ordinal(),
    )
    store.put_entities(tx, change.graph.graph_no, [after])
    change.journal.entity(row, after)
    held = (texts.of(row.name, is_name=True), texts.of(row.entity_type))
    indexing.drop(tx, change.graph.graph_no, [(row.entity_no, text) for text in held])
    return after


def _home(change: Change, row: EntityRow) -> int:
    """The number of what an entity is part of in the end: its own where it was merged into nothing."""
    seen = {row.entity_no}
    while row.merged_into is not None and row.merged_into not in seen:
        seen.add(row.merged_into)
        above = store.entities_numbered(change.connection, change.graph, [row.merged_into])
        if row.merged_into not in above:
            return row.entity_no
        row = above[row.merged_into]
    return row.entity_no
