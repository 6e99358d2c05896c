"""`/v1/memory-graph`: what members change in their own graph."""

from __future__ import annotations

from typing import Any, Final

from tarimba.graph import adding, deleting, editing, member, settling, undoing
from tarimba.graph import requests as shapes
from tarimba.graph.model import Addition, By, NewEntity, NewObservation, NewRelation, Scope
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded

_TAG: Final = "memory graph"
_ROOT: Final = "/v1/memory-graph"
_WRITE: Final = "graph.write"


def _create(kernel: Kernel, call: Call) -> Answer:
    body: shapes.NewEntityBody = call.body
    scope, by = _seat(kernel, call)
    entity = NewEntity(body.name, body.entity_type, _new(body.observations))
    made = adding.create_entities(kernel, scope, by, [entity], once_key=call.once)
    changed = len(made.entities)
    content = {"changed": changed, "similar": [one.existing for one in made.similar]}
    return Answer(content | {"receipt_id": made.receipt.id}, 200, made.receipt)


def _edit(kernel: Kernel, call: Call) -> Answer:
    body: shapes.EntityBody = call.body
    scope, by = _seat(kernel, call)
    edit = editing.EntityEdit(call.query.name, body.name, body.entity_type, call.if_match)
    done = editing.edit_entity(kernel, scope, by, edit, once_key=call.once)
    return _changed(done.changed, done.receipt)


def _delete(kernel: Kernel, call: Call) -> Answer:
    scope, by = _seat(kernel, call)
    done = deleting.delete_entities(kernel, scope, by, [call.query.name], once_key=call.once)
    return _changed(done.deleted, done.receipt)


def _observe(kernel: Kernel, call: Call) -> Answer:
    body: shapes.AddBody = call.body
    scope, by = _seat(kernel, call)
    addition = Addition(body.name, _new(body.observations))
    done = adding.add_observations(kernel, scope, by, [addition], once_key=call.once)
    return _changed(sum(len(one.added) for one in done.results), done.receipt)


def _reword(kernel: Kernel, call: Call) -> Answer:
    query: shapes.ObservationQuery = call.query
    body: shapes.ObservationBody = call.body
    scope, by = _seat(kernel, call)
    new = NewObservation(body.text, body.confidence)
    edit = editing.ObservationEdit(query.name, query.id, new, call.if_match)
    done = editing.edit_observation(kernel, scope, by, edit, once_key=call.once)
    return _changed(done.changed, done.receipt)


def _unobserve(kernel: Kernel, call: Call) -> Answer:
    query: shapes.ObservationQuery = call.query
    scope, by = _seat(kernel, call)
    done = editing.delete_observation(kernel, scope, by, query.name, query.id, once_key=call.once)
    return _changed(done.changed, done.receipt)


def _relate(kernel: Kernel, call: Call) -> Answer:
    scope, by = _seat(kernel, call)
    done = adding.create_relations(kernel, scope, by, [_relation(call.body)], once_key=call.once)
    content = {"changed": len(done.relations), "dangling": list(done.dangling)}
    return Answer(content | {"receipt_id": done.receipt.id}, 200, done.receipt)


def _unrelate(kernel: Kernel, call: Call) -> Answer:
    scope, by = _seat(kernel, call)
    done = deleting.delete_relations(kernel, scope, by, [_relation(call.query)], once_key=call.once)
    return _changed(done.deleted, done.receipt)


def _merge(kernel: Kernel, call: Call) -> Answer:
    body: shapes.MergeBody = call.body
    scope, by = _seat(kernel, call)
    done = settling.merge_entities(kernel, scope, by, body.source, body.target, once_key=call.once)
    return _changed(int(done.changed), done.receipt)


def _archive(kernel: Kernel, call: Call) -> Answer:
    scope, by = _seat(kernel, call)
    done = settling.archive_entity(kernel, scope, by, call.body.name, once_key=call.once)
    return _changed(int(done.changed), done.receipt)


def _unarchive(kernel: Kernel, call: Call) -> Answer:
    scope, by = _seat(kernel, call)
    done = settling.unarchive_entity(kernel, scope, by, call.body.name, once_key=call.once)
    return _changed(int(done.changed), done.receipt)


def _undo(kernel: Kernel, call: Call) -> Answer:
    scope, by = _seat(kernel, call)
    done = undoing.undo(kernel, scope, by, call.body.change_id, once_key=call.once)
    content = {"change_id": done.change_id, "undone_by": done.undone_by}
    return Answer(content | {"receipt_id": done.receipt.id}, 200, done.receipt)


def _seat(kernel: Kernel, call: Call) -> tuple[Scope, By]:
    with kernel.database.read() as connection:
        scope = member.seat_of(connection, call.principal, call.query.called())
    return scope, member.by_of(call.principal)


def _new(observations: list[shapes.ObservationBody]) -> tuple[NewObservation, ...]:
    return tuple(NewObservation(one.text, one.confidence) for one in observations)


def _relation(asked: shapes.RelationBody | shapes.RelationQuery) -> NewRelation:
    return NewRelation(asked.source, asked.to, asked.relation_type)


def _changed(changed: int, receipt: Recorded) -> Answer:
    content: dict[str, Any] = {"changed": changed, "receipt_id": receipt.id}
    return Answer(content, receipt=receipt)


ROUTES: Final = (
    Route(
        "POST", f"{_ROOT}/entities", _create, "Make an entity", _TAG, _WRITE,
        query=shapes.SeatQuery, body=shapes.NewEntityBody, answer=shapes.MadeView, idempotent=True,
    ),
    Route(
        "PATCH", f"{_ROOT}/entity", _edit, "Give an entity another name or type", _TAG, _WRITE,
        query=shapes.NameQuery, body=shapes.EntityBody, matches=True, answer=shapes.ChangedView, idempotent=True,
    ),
    Route(
        "DELETE", f"{_ROOT}/entity", _delete, "Delete an entity and its relations", _TAG, _WRITE,
        query=shapes.NameQuery, answer=shapes.ChangedView, idempotent=True,
    ),
    Route(
        "POST", f"{_ROOT}/observations", _observe, "Add observations to an entity", _TAG, _WRITE,
        query=shapes.SeatQuery, body=shapes.AddBody, answer=shapes.ChangedView, idempotent=True,
    ),
    Route(
        "PATCH", f"{_ROOT}/observation", _reword, "Change the words of an observation", _TAG, _WRITE,
        query=shapes.ObservationQuery, body=shapes.ObservationBody, matches=True, answer=shapes.ChangedView,
        idempotent=True,
    ),
    Route(
        "DELETE", f"{_ROOT}/observation", _unobserve, "Delete an observation", _TAG, _WRITE,
        query=shapes.ObservationQuery, answer=shapes.ChangedView, idempotent=True,
    ),
    Route(
        "POST", f"{_ROOT}/relations", _relate, "Relate two entities", _TAG, _WRITE,
        query=shapes.SeatQuery, body=shapes.RelationBody, answer=shapes.RelatedView, idempotent=True,
    ),
    Route(
        "DELETE", f"{_ROOT}/relations", _unrelate, "Delete a relation", _TAG, _WRITE,
        query=shapes.RelationQuery, answer=shapes.ChangedView, idempotent=True,
    ),
    Route(
        "POST", f"{_ROOT}/merge", _merge, "Merge an entity into another", _TAG, _WRITE,
        query=shapes.SeatQuery, body=shapes.MergeBody, answer=shapes.ChangedView, idempotent=True,
    ),
    Route(
        "POST", f"{_ROOT}/archive", _archive, "Put an entity away", _TAG, _WRITE,
        query=shapes.SeatQuery, body=shapes.NameBody, answer=shapes.ChangedView, idempotent=True,
    ),
    Route(
        "POST", f"{_ROOT}/unarchive", _unarchive, "Put an entity back", _TAG, _WRITE,
        query=shapes.SeatQuery, body=shapes.NameBody, answer=shapes.ChangedView, idempotent=True,
    ),
    Route(
        "POST", f"{_ROOT}/undo", _undo, "Undo a change of the last thirty days", _TAG, _WRITE,
        query=shapes.SeatQuery, body=shapes.UndoBody, answer=shapes.UndoneView, idempotent=True,
    ),
)  # fmt: skip
