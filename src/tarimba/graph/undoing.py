"""Undoing a change of the last thirty days: every row that it touched is again as it was before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection, Row

from tarimba.clock import DAY
from tarimba.errors import Refusal, not_found
from tarimba.graph import indexing, member_store, removing, restoring, store
from tarimba.graph.acting import Act, Change, Marks, Texts, commit
from tarimba.graph.changes import steps_of
from tarimba.graph.model import By, Scope
from tarimba.graph.restoring import Plan, Rows, in_the_way
from tarimba.graph.rows import EntityRow, Graph
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded
from tarimba.storage.once import OnceKey

KEPT_FOR: Final = 30 * DAY
ACTION: Final = "undo"
Undo = Literal["possible", "undone", "too_old", "too_large"]
# Under the lock this many rows take as long as a large call of a tool.
_ROWS_MAX: Final = 5_000
_BYTES_MAX: Final = 16 * 1024 * 1024
_WORDS: Final[dict[Undo, str]] = {
    "undone": "This change was undone already.",
    "too_old": "This change is older than thirty days: nothing is kept any more by which it could be undone.",
    "too_large": "This change is too large to be undone in one step: delete what it brought instead.",
}


@dataclass(frozen=True, slots=True)
class Undone:
    """`undone_by` is the id of the change that undid the other: it can be undone itself."""

    change_id: str
    undone_by: str
    receipt: Recorded


def standing(row: Row[Any], now: int) -> Undo:
    """Whether a listed change can be undone as far as its age and size tell: later changes may stand in the way."""
    if row.undone_by is not None:
        return "undone"
    if now - row.at >= KEPT_FOR:
        return "too_old"
    return "possible" if 0 < row.size <= _BYTES_MAX else "too_large"


def undo(kernel: Kernel, scope: Scope, by: By, change_id: str, *, once_key: OnceKey | None = None) -> Undone:
    """Takes back one change. Raises 403, 404, and 409 for what can't be undone, or not before later changes are."""
    texts = _read_ahead(kernel, scope, change_id)

    def work(change: Change) -> Marks:
        row = _found(change.connection, change.graph, change_id)
        can = standing(row, change.tx.now)
        if can != "possible":
            raise Refusal("conflict", _WORDS[can])
        _take_back(change, row)
        member_store.mark_undone(change.tx, change.graph, change_id, change.change_id)
        return {"undone_by": change.change_id}

    written = commit(kernel, Act(scope, by, ACTION), texts, work, once_key)
    return Undone(change_id, written.marks["undone_by"], written.receipt)


def _read_ahead(kernel: Kernel, scope: Scope, change_id: str) -> Texts:
    """The texts of all rows of a change, as the index takes them, before the lock is taken."""
    texts = Texts(kernel.words)
    with kernel.database.read() as connection:
        at = store.graph_of(connection, scope)
        row = None if at is None else member_store.change(connection, at, change_id)
        if at is None or row is None or standing(row, kernel.writer.now(scope.space_id)) != "possible":
            return texts
        nets = restoring.nets(steps_of(row.before))
        present = _present(connection, at, nets)
    for rows in (present, restoring.past_of(nets)):
        for entity in rows.entities.values():
            texts.of(entity.name, is_name=True)
            texts.of(entity.entity_type)
        for seen in rows.observations.values():
            texts.of(seen.content)
    return texts


def _found(connection: Connection, at: Graph, change_id: str) -> Row[Any]:
    row = member_store.change(connection, at, change_id)
    if row is None:
        raise not_found("change")
    return row


def _present(connection: Connection, at: Graph, nets: list[restoring.Net]) -> Rows:
    numbers: dict[str, list[int]] = {"entity": [], "relation": []}
    places: list[tuple[int, int]] = []
    for net in nets:
        if net.kind == "observation":
            places.append((net.within, net.number))
        else:
            numbers[net.kind].append(net.number)
    return Rows(
        store.entities_numbered(connection, at, numbers["entity"]),
        member_store.observations_at(connection, at, places),
        store.relations_numbered(connection, at, numbers["relation"]),
    )


def _take_back(change: Change, row: Row[Any]) -> None:
    nets = restoring.nets(steps_of(row.before))
    if len(nets) > _ROWS_MAX:
        raise Refusal("conflict", _WORDS["too_large"])
    plan = restoring.planned(nets, _present(change.connection, change.graph, nets))
    _require_room(change, plan)
    index_past = _indexed(change.texts, plan.past)
    _unindex(change, plan)
    _relations(change, plan)
    _observations(change, plan)
    _entities(change, plan)
    indexing.add(change.tx, change.graph.graph_no, index_past)
    rows = [*plan.present.entities.values(), *plan.past.entities.values()]
    change.names |= dict.fromkeys(one.name for one in rows)


def _require_room(change: Change, plan: Plan) -> None:
    """Raises 409 where something of a later change stands where a row would come back, or hangs on one that goes."""
    connection, at = change.connection, change.graph
    past = plan.past
    names = [one.name for one in past.entities.values()]
    restoring.require_names(plan, store.entities_named(connection, at, names))
    homes = {one.entity_no for one in past.observations.values()}
    homes |= {one.merged_into for one in past.entities.values() if one.merged_into is not None}
    restoring.require_homes(plan, store.entities_numbered(connection, at, sorted(homes)))
    wanted = [(one.entity_no, one.content) for one in past.observations.values()]
    for seen in store.observations_saying(connection, at, wanted).values():
        if seen.observation_no not in plan.present.observations:
            in_the_way("An entity has an observation now that it would get back.")
    triples = [one.triple for one in past.relations.values()]
    for relation in store.relations_saying(connection, at, triples).values():
        if relation.relation_no not in plan.present.relations:
            in_the_way("There is a relation now that would come back.")
    for leaving in plan.leaving:
        _require_bare(change, plan, leaving)


def _require_bare(change: Change, plan: Plan, leaving: EntityRow) -> None:
    """Raises 409 when something hangs on an entity that did not when the change was made."""
    connection, at = change.connection, change.graph
    number = leaving.entity_no
    if member_store.has_observations_beside(connection, at, number, plan.present.observations.keys()):
        in_the_way("An entity has observations that came later.")
    touching = store.relations_touching(connection, at, [leaving.name])
    if any(one.relation_no > number and one.relation_no not in plan.present.relations for one in touching):
        in_the_way("An entity has relations that came later.")
    if number in plan.past.entities:
        return
    merged = store.entities_merged_into(connection, at, [number])
    if any(one.entity_no not in plan.present.entities for one in merged):
        in_the_way("Another entity was merged into one of these later.")


def _indexed(texts: Texts, rows: Rows) -> list[tuple[int, indexing.Prepared]]:
    return removing.indexed(texts, list(rows.entities.values()), list(rows.observations.values()))


def _unindex(change: Change, plan: Plan) -> None:
    gone = {one.entity_no for one in plan.leaving}
    held = _indexed(change.texts, plan.present)
    number = change.graph.graph_no
    indexing.drop(change.tx, number, [one for one in held if one[0] in gone])
    indexing.remove(change.tx, number, [one for one in held if one[0] not in gone])


def _relations(change: Change, plan: Plan) -> None:
    present, past = plan.present.relations, plan.past.relations
    store.remove_relations(change.tx, change.graph.graph_no, list(present))
    store.add_relations(change.tx, change.graph.graph_no, list(past.values()))
    for number in present | past:
        change.journal.relation(present.get(number), past.get(number))
    change.moves(relations=len(past) - len(present))


def _observations(change: Change, plan: Plan) -> None:
    present, past = plan.present.observations, plan.past.observations
    store.remove_observations(change.tx, change.graph.graph_no, list(present.values()))
    store.add_observations(change.tx, change.graph.graph_no, list(past.values()))
    for number in present | past:
        change.journal.observation(present.get(number), past.get(number))
    change.moves(observations=len(past) - len(present))


def _entities(change: Change, plan: Plan) -> None:
    tx, number = change.tx, change.graph.graph_no
    present, past, moved = plan.present.entities, plan.past.entities, plan.moved
    rows = {
        entity_no: restoring.restored(
            row,
            (present[entity_no].observations if entity_no in present else 0) + moved.get(entity_no, 0),
            tx.now,
            tx.next_ordinal(),
        )
        for entity_no, row in past.items()
    }
    store.remove_entities(tx, number, [one for one in present if one not in past])
    store.put_entities(tx, number, [row for one, row in rows.items() if one in present])
    store.add_entities(tx, number, [row for one, row in rows.items() if one not in present])
    for one in present | past:
        change.journal.entity(present.get(one), rows.get(one))
    beside = {one: by for one, by in moved.items() if one not in present and one not in past}
    store.touch_entities(tx, number, beside)
    change.moves(entities=len(past) - len(present))
