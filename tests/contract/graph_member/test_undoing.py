"""Undo: every action taken back leaves the graph exactly as it was, and so does taking that back."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from tarimba.clock import DAY
from tarimba.errors import Refusal
from tarimba.graph import auditing, editing, importing, member_store, store, undoing
from tarimba.graph.editing import EntityEdit, ObservationEdit
from tarimba.graph.exporting import export_graph
from tarimba.graph.model import NewEntity, NewObservation
from tarimba.graph.rules import key_of
from tarimba.graph.service import search_nodes
from tarimba.storage.tables import graph_change
from tests.contract.api.served import Api
from tests.contract.graph.seat import Seat, entity, seat_in, seat_of
from tests.contract.graph_member.desk import Desk
from tests.problems import assert_problem

NAMES = ("Pump", "Tank", "pump", "Old boiler")
TEXTS = ("blue hall", "was repaired", "full")
Act = tuple[str, ...]

names, texts = st.sampled_from(NAMES), st.sampled_from(TEXTS)
acts = st.one_of(
    st.tuples(st.just("create"), names, texts),
    st.tuples(st.just("observe"), names, texts),
    st.tuples(st.just("relate"), names, names),
    st.tuples(st.just("merge"), names, names),
    st.tuples(st.sampled_from(["archive", "unarchive", "delete"]), names),
    st.tuples(st.just("forget"), names, texts),
    st.tuples(st.just("unrelate"), names, names),
    st.tuples(st.just("rename"), names, names),
    st.tuples(st.just("reword"), names, texts, texts),
    st.tuples(st.just("import"), names, names, texts),
)


def do(seat: Seat, act: Act) -> None:
    kind, name, *rest = act
    me = (seat.kernel, seat.scope, seat.by)
    plain = {"archive": seat.archive, "unarchive": seat.unarchive, "delete": seat.delete, "merge": seat.merge}
    if kind in plain:
        plain[kind](name, *rest)  # type: ignore[operator]
    elif kind in ("relate", "unrelate"):
        (seat.relate if kind == "relate" else seat.unrelate)((name, rest[0], "feeds"))
    elif kind in ("observe", "forget"):
        (seat.observe if kind == "observe" else seat.forget)({name: [rest[0]]})
    elif kind == "create":
        seat.create(NewEntity(name, "thing", (NewObservation(rest[0], 0.5),)))
    elif kind == "rename":
        editing.edit_entity(*me, EntityEdit(name, rest[0], "other", "*"))
    elif kind == "reword":
        edit = ObservationEdit(name, key_of(rest[0]), NewObservation(rest[1]), "*")
        editing.edit_observation(*me, edit)
    else:
        importing.import_graph(*me, iter([file_of(name, *rest)]))


def file_of(name: str, other: str, text: str) -> bytes:
    rows: list[dict[str, Any]] = [
        {"type": "entity", "name": name, "entityType": "x", "observations": [text], "archived": True},
        {"type": "entity", "name": "Gone", "entityType": "x", "merged": True, "mergedInto": other},
        {"type": "relation", "from": name, "to": other, "relationType": "feeds"},
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def looks(seat: Seat) -> tuple[Any, ...]:
    """All that a graph holds, and all that its index finds."""
    me = (seat.kernel, seat.scope, seat.by)
    document = json.loads(b"".join(export_graph(*me, "json").pieces))
    words = ("pump", "tank", "boiler", "hall", "repaired", "full", "thing", "gone")
    found = [sorted(one.name for one in search_nodes(*me, word).entities) for word in words]
    return document, found, seat.counts(), seat.stored()


def changes_of(seat: Seat) -> list[Any]:
    with seat.kernel.database.read() as connection:
        at = store.graph_of(connection, seat.scope)
        return [] if at is None else list(member_store.changes(connection, at, None, 100))


def undo(seat: Seat, change_id: str) -> str:
    return undoing.undo(seat.kernel, seat.scope, seat.by, change_id).undone_by


@pytest.fixture(scope="module")
def first(api: Api) -> Seat:
    return seat_of(api.kernel, api.found())


def fresh(first: Seat) -> Seat:
    scope = first.scope
    return seat_in(first.kernel, scope.space_id, scope.source_id, scope.person_id)


@pytest.mark.promise("graph-undo")
@settings(max_examples=15)
@given(before=st.lists(acts, max_size=6), act=acts)
def test_an_action_undone_leaves_everything_as_it_was(first: Seat, before: list[Act], act: Act) -> None:
    taken_back(fresh(first), before, act)


@pytest.mark.nightly
@pytest.mark.promise("graph-undo")
@settings(max_examples=150)
@given(before=st.lists(acts, max_size=12), act=acts)
def test_any_action_undone_leaves_everything_as_it_was(first: Seat, before: list[Act], act: Act) -> None:
    taken_back(fresh(first), before, act)


def taken_back(seat: Seat, before: list[Act], act: Act) -> None:
    for one in before:
        attempt(seat, one)
    past, listed = looks(seat), len(changes_of(seat))
    attempt(seat, act)
    present, changes = looks(seat), changes_of(seat)
    if len(changes) == listed:
        assert present == past
        return
    undone_by = undo(seat, changes[0].change_id)
    assert looks(seat) == past
    assert changes_of(seat)[1].undone_by == undone_by
    undo(seat, undone_by)
    assert looks(seat) == present
    assert changes_of(seat)[2].undone_by is None


@pytest.mark.promise("graph-undo")
@settings(max_examples=10)
@given(done=st.lists(acts, min_size=1, max_size=8))
def test_everything_can_be_undone_from_the_last_to_the_first(first: Seat, done: list[Act]) -> None:
    seat = fresh(first)
    seat.create(entity("Anchor", "stays"))
    past = looks(seat)
    for one in done:
        attempt(seat, one)
    for change in changes_of(seat)[:-1]:
        undo(seat, change.change_id)
    assert looks(seat) == past


def attempt(seat: Seat, act: Act) -> None:
    """What is refused changes nothing: nothing is there to be merged, or a name is taken."""
    with suppress(Refusal):
        do(seat, act)


def later(seat: Seat, *acts: Act) -> None:
    """The first of these can't be undone before the others are."""
    for act in acts:
        do(seat, act)
    present, change = looks(seat), changes_of(seat)[len(acts) - 1]
    with pytest.raises(Refusal) as refused:
        undo(seat, change.change_id)
    assert refused.value.code == "conflict"
    assert "later changes first" in refused.value.detail
    assert looks(seat) == present


@pytest.mark.promise("graph-undo")
def test_later_changes_stand_in_the_way(first: Seat) -> None:
    later(fresh(first), ("create", "Pump", "full"), ("observe", "Pump", "blue hall"))
    later(fresh(first), ("create", "Pump", "full"), ("relate", "Pump", "Tank"))
    later(fresh(first), ("create", "Pump", "full"), ("archive", "Pump"))
    seat = fresh(first)
    do(seat, ("create", "Tank", "full"))
    later(seat, ("create", "Pump", "full"), ("merge", "Tank", "Pump"))
    seat = fresh(first)
    do(seat, ("create", "Pump", "full"))
    later(seat, ("delete", "Pump"), ("create", "Pump", "full"))
    seat = fresh(first)
    do(seat, ("create", "Pump", "full"))
    later(seat, ("forget", "Pump", "full"), ("observe", "Pump", "full"))
    seat = fresh(first)
    do(seat, ("create", "Pump", "full"))
    later(seat, ("forget", "Pump", "full"), ("delete", "Pump"))


def test_an_undone_change_says_so_and_is_not_undone_twice(desk: Desk) -> None:
    desk.make("Pump 7", "Blue")
    made = desk.latest()
    assert (made["action"], made["actor"]["type"], made["undo"]) == ("create_entities", "person", "possible")
    undone = desk.post("undo", {"change_id": made["change_id"]})
    assert desk.get("entities")["items"] == []
    last, first = desk.get("changes")["items"]
    assert (first["undo"], first["undone_by"]) == ("undone", undone["undone_by"])
    assert (last["action"], last["change_id"]) == ("undo", undone["undone_by"])
    again = desk.ask("POST", "undo", json={"change_id": made["change_id"]})
    assert_problem(again, "conflict", 409)
    assert_problem(desk.ask("POST", "undo", json={"change_id": "none"}), "not_found", 404)
    assert {one["id"] for one in desk.log()} >= {last["receipt_id"], first["receipt_id"]}


@pytest.mark.promise("graph-undo-days")
def test_what_a_change_is_undone_by_is_forgotten_after_thirty_days(desk: Desk) -> None:
    desk.learn("talk-1", entity("Pump 7", "Blue"))
    desk.learn("talk-2", entity("Tank 1"))
    kernel = desk.api.kernel
    moment = kernel.clock.now_us()
    with kernel.database.write() as connection:
        mine = (graph_change.c.space_id == desk.scope.space_id, graph_change.c.conversation_id == "talk-1")
        connection.execute(update(graph_change).where(*mine).values(at=moment - 31 * DAY))
    young, old = desk.get("changes")["items"]
    assert (young["undo"], old["undo"], old["conversation_id"]) == ("possible", "too_old", "talk-1")
    assert_problem(desk.ask("POST", "undo", json={"change_id": old["change_id"]}), "conflict", 409)
    keeping = auditing.Forgetting(kernel)
    while keeping.piece():
        continue
    with kernel.database.read() as connection:
        at = store.graph_of(connection, desk.scope)
        assert at is not None
        sizes = [row.size > 0 for row in member_store.changes(connection, at, None, 10)]
    assert sizes == [True, False]
    assert len(desk.get("changes", limit=1)["items"]) == 1
