"""What only a member changes: the name and type of an entity, and the words of an observation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tarimba.errors import Refusal, invalid, not_found
from tarimba.graph import indexing, member_store, removing, rules, store
from tarimba.graph.acting import Act, Change, Marks, Texts, commit
from tarimba.graph.merging import rewired
from tarimba.graph.model import TYPE_MAX, By, NewObservation, Scope
from tarimba.graph.rows import EntityRow, Graph, ObservationRow, RelationRow
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded
from tarimba.storage.once import OnceKey
from tarimba.vault import SpaceKey

# Each of them is a row that is written anew under the lock.
RENAMED_MAX: Final = 2_000


@dataclass(frozen=True, slots=True)
class EntityEdit:
    """What is to be changed of an entity; None leaves it. `seen` is the If-Match of the caller."""

    name: str
    new_name: str | None
    new_type: str | None
    seen: str | None


@dataclass(frozen=True, slots=True)
class ObservationEdit:
    """`key` is that of the text that stands there now."""

    name: str
    key: str
    new: NewObservation
    seen: str | None


@dataclass(frozen=True, slots=True)
class Edited:
    changed: int
    receipt: Recorded


def etag(key: SpaceKey, at: Graph, row: EntityRow) -> str:
    """Tells one state of an entity from every other; says nothing of how much others write."""
    return key.mac("graph-entity", f"{at.graph_no}/{row.entity_no}/{row.changed_no}")[:32]


def edit_entity(
    kernel: Kernel, scope: Scope, by: By, edit: EntityEdit, *, once_key: OnceKey | None = None
) -> Edited:
    """Gives an entity another name, with its relations, or another type.

    Raises 403, 404, 409 for a name that is taken and for what was merged away, 412, 422, 428.
    """
    if edit.new_name is None and edit.new_type is None:
        raise invalid("name", "or entity_type must say what is to be changed")
    if edit.new_name is not None:
        rules.require_name("name", edit.new_name)
    if edit.new_type is not None:
        rules.require_text("entity_type", edit.new_type, TYPE_MAX, least=0)
    texts = _read_ahead(kernel, scope, edit)
    key = kernel.keys.of(scope.space_id)

    def work(change: Change) -> Marks:
        row = _seen(change, key, edit.name, edit.seen)
        name = row.name if edit.new_name is None else edit.new_name
        type_ = row.entity_type if edit.new_type is None else edit.new_type
        after = replace(row, name=name, entity_type=type_)
        change.names |= {row.name: None, after.name: None}
        if after == row:
            return {"changed": 0}
        if after.name != row.name:
            _rename(change, row, after)
        _put(change, row, after)
        return {"changed": 1}

    written = commit(kernel, Act(scope, by, "edit_entity"), texts, work, once_key)
    return Edited(written.marks["changed"], written.receipt)


def edit_observation(
    kernel: Kernel, scope: Scope, by: By, edit: ObservationEdit, *, once_key: OnceKey | None = None
) -> Edited:
    """Gives an observation other words or another confidence; where it was learned, and when, stays.

    Raises 403, 404, 409 for words that the entity has already, 412, 422, 428.
    """
    rules.require_observation("text", edit.new)
    texts = _read_text(kernel, scope, edit.name, edit.key)
    texts.of(edit.new.text)
    key = kernel.keys.of(scope.space_id)

    def work(change: Change) -> Marks:
        entity = _seen(change, key, edit.name, edit.seen)
        change.names[entity.name] = None
        return {"changed": _reword(change, entity, edit)}

    written = commit(kernel, Act(scope, by, "edit_observation"), texts, work, once_key)
    return Edited(written.marks["changed"], written.receipt)


def delete_observation(
    kernel: Kernel, scope: Scope, by: By, name: str, key: str, *, once_key: OnceKey | None = None
) -> Edited:
    """Deletes one observation of an entity, by the key of its text. Raises 403 and 404."""
    texts = _read_text(kernel, scope, name, key)

    def work(change: Change) -> Marks:
        entity = _there(change, name)
        row = _observation(change, entity, key)
        removing.drop_observations(change, [row])
        store.touch_entities(change.tx, change.graph.graph_no, {entity.entity_no: -1})
        change.names[name] = None
        return {"changed": 1}

    written = commit(kernel, Act(scope, by, "delete_observations"), texts, work, once_key)
    return Edited(written.marks["changed"], written.receipt)


def _read_text(kernel: Kernel, scope: Scope, name: str, key: str) -> Texts:
    """The text of the observation, if it is there, as the index takes it, read before the lock is taken."""
    texts = Texts(kernel.words)
    with kernel.database.read() as connection:
        at = store.graph_of(connection, scope)
        entity = None if at is None else store.entities_named(connection, at, [name]).get(name)
        if at is not None and entity is not None:
            row = member_store.observation(connection, at, entity.entity_no, key)
            if row is not None:
                texts.of(row.content)
    return texts


def _read_ahead(kernel: Kernel, scope: Scope, edit: EntityEdit) -> Texts:
    texts = Texts(kernel.words)
    with kernel.database.read() as connection:
        at = store.graph_of(connection, scope)
        row = None if at is None else store.entities_named(connection, at, [edit.name]).get(edit.name)
    for name in (edit.name, edit.new_name):
        if name is not None:
            texts.of(name, is_name=True)
    for type_ in (row.entity_type if row else None, edit.new_type):
        if type_ is not None:
            texts.of(type_)
    return texts


def _seen(change: Change, key: SpaceKey, name: str, seen: str | None) -> EntityRow:
    """The entity, if it is the one that the caller has read."""
    row = _there(change, name)
    if seen is None:
        raise Refusal("precondition_required", "Name the ETag of the entity that you have read in If-Match.")
    named = {part.strip().removeprefix("W/").strip('"') for part in seen.split(",")}
    if named.isdisjoint({"*", etag(key, change.graph, row)}):
        raise Refusal("precondition_failed", "If-Match does not name the present state: read it again.")
    if row.status == "merged":
        raise Refusal("conflict", "This entity was merged into another: change that one.")
    return row


def _there(change: Change, name: str) -> EntityRow:
    row = store.entities_named(change.connection, change.graph, [name]).get(name)
    if row is None:
        raise not_found("entity")
    return row


def _observation(change: Change, entity: EntityRow, key: str) -> ObservationRow:
    row = member_store.observation(change.connection, change.graph, entity.entity_no, key)
    if row is None:
        raise not_found("observation")
    return row


def _rename(change: Change, row: EntityRow, after: EntityRow) -> None:
    """Takes the relations along; one that stands there under the new name already is there once."""
    connection, at = change.connection, change.graph
    if store.entities_named(connection, at, [after.name]):
        raise Refusal("conflict", "name: there is an entity with it already. Merge the two instead.")
    before = member_store.relations_at(connection, at, [row.name], RENAMED_MAX + 1)
    if len(before) > RENAMED_MAX:
        raise Refusal("conflict", f"name: an entity with more than {RENAMED_MAX:,} relations keeps its name.")
    moved = [rewired(one, row.name, after.name) for one in before]
    known = set(store.relations_saying(connection, at, [one.triple for one in moved]))
    kept: list[RelationRow] = []
    double: list[RelationRow] = []
    for old, new in zip(before, moved, strict=True):
        if new.triple in known:
            double.append(old)
            continue
        known.add(new.triple)
        kept.append(new)
        change.journal.relation(old, new)
    removing.drop_relations(change, double)
    store.put_relations(change.tx, at.graph_no, kept)


def _put(change: Change, row: EntityRow, after: EntityRow) -> None:
    tx, number, texts = change.tx, change.graph.graph_no, change.texts
    after = replace(after, changed_at=tx.now, changed_no=tx.next_ordinal())
    store.put_entities(tx, number, [after])
    change.journal.entity(row, after)
    was = [texts.of(row.name, is_name=True), texts.of(row.entity_type)]
    becomes = [texts.of(after.name, is_name=True), texts.of(after.entity_type)]
    indexing.remove(tx, number, [(row.entity_no, text) for text in was])
    indexing.add(tx, number, [(row.entity_no, text) for text in becomes])


def _reword(change: Change, entity: EntityRow, edit: ObservationEdit) -> int:
    connection, at = change.connection, change.graph
    row = _observation(change, entity, edit.key)
    after = replace(row, content=edit.new.text, confidence=rules.millionths(edit.new.confidence))
    if after == row:
        return 0
    if after.content != row.content:
        place = (entity.entity_no, after.content)
        if store.observations_saying(connection, at, [place]):
            raise Refusal("conflict", "text: the entity has this observation already.")
        texts = change.texts
        indexing.remove(change.tx, at.graph_no, [(entity.entity_no, texts.of(row.content))])
        indexing.add(change.tx, at.graph_no, [(entity.entity_no, texts.of(after.content))])
    store.put_observations(change.tx, at.graph_no, [after])
    store.touch_entities(change.tx, at.graph_no, {entity.entity_no: 0})
    change.journal.observation(row, after)
    return 1
