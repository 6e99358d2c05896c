"""What a call leaves: one receipt without a word of it, its steps row by row, and an answer that comes again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import select

from tarimba.graph import changes, wire
from tarimba.graph.changes import steps_of
from tarimba.graph.rows import EntityRow, ObservationRow, RelationRow
from tarimba.kernel import Kernel
from tarimba.storage.once import OnceKey
from tarimba.storage.tables import graph, graph_change
from tests.contract.graph.seat import Seat, entity
from tests.contract.notes.world import refusal
from tests.e2e.company import Company, log_of


def receipts(opened: Kernel, company: Company, seat: Seat) -> list[Mapping[str, Any]]:
    """Those of the seat's own subscription."""
    mine = seat.scope.subscription_id
    found = (stored.document for stored in log_of(opened, company))
    return [dict(one) for one in found if one.get("subscription_id") == mine]


def recorded(seat: Seat) -> list[tuple[str, tuple[changes.Step, ...]]]:
    number = select(graph.c.graph_no).where(graph.c.subscription_id == seat.scope.subscription_id)
    query = select(graph_change).where(graph_change.c.graph_no == number.scalar_subquery())
    with seat.kernel.database.read() as connection:
        rows = connection.execute(query.order_by(graph_change.c.change_no)).all()
    return [(row.action, steps_of(row.before)) for row in rows]


def once(seat: Seat, header: str, body: bytes = b"{}") -> OnceKey:
    key = seat.kernel.keys.of(seat.scope.space_id)
    return OnceKey.of(key, seat.scope.source_id, "tool", header, body)


@pytest.mark.promise("graph-untold")
def test_receipts_hold_no_word_of_a_graph(opened: Kernel, company: Company, seat: Seat) -> None:
    word = "zanzibar"
    talking = seat.within(f"{word} conversation")
    talking.create(entity(f"{word} one", f"{word} fact", kind=f"{word} kind"), entity(f"{word} two"))
    talking.relate((f"{word} one", f"{word} two", f"{word} near"))
    talking.observe({f"{word} one": [f"{word} new"]})
    talking.read()
    talking.open(f"{word} one")
    talking.details(f"{word} one")
    talking.recent()
    talking.forget({f"{word} one": [f"{word} new"]})
    talking.archive(f"{word} two")
    talking.unarchive(f"{word} two")
    talking.unrelate((f"{word} one", f"{word} two", f"{word} near"))
    talking.merge(f"{word} two", f"{word} one")
    talking.delete(f"{word} one")
    found = receipts(opened, company, seat)
    assert [one["action"] for one in found] == ["graph.write"] * 3 + ["graph.read"] * 4 + ["graph.write"] * 6
    assert word not in json.dumps(found)
    key = opened.keys.of(company.space_id)
    assert found[0]["detail"] == {
        "change": "create_entities",
        "entities": 2,
        "observations": 1,
        "relations": 0,
        "names": [key.commit(f"{word} one"), key.commit(f"{word} two")],
        "named": 2,
        "conversation": key.commit(f"{word} conversation"),
    }
    assert all(one["agent"] == seat.scope.source_id for one in found)
    assert all(one["person_id"] == seat.scope.person_id for one in found)


def test_a_call_that_changes_nothing_leaves_a_receipt_and_no_change(
    opened: Kernel, company: Company, seat: Seat
) -> None:
    seat.create(entity("Here", "x"))
    seat.create(entity("Here", "y"))
    seat.observe({"Here": ["x"]})
    assert seat.delete("Gone") == seat.forget({"Here": ["z"]}) == seat.unrelate(("a", "b", "c")) == 0
    assert seat.unarchive("Here") is False
    assert len(receipts(opened, company, seat)) == 7
    assert [action for action, _ in recorded(seat)] == ["create_entities"]


def test_a_change_is_recorded_row_by_row(seat: Seat) -> None:
    seat.create(entity("One", "x", "y"), entity("Two", "x", "z"))
    seat.relate(("Two", "Three", "near"), ("Two", "One", "near"))
    seat.merge("Two", "One")
    seat.delete("One")
    create, relate, merge, gone = recorded(seat)
    assert create[0] == "create_entities"
    assert [(step.kind, step.before) for step in create[1]] == [("entity", None)] * 2 + [
        ("observation", None)
    ] * 4
    one, two = (step.number for step in create[1][:2])
    assert [(step.kind, step.before) for step in relate[1]] == [("relation", None)] * 2
    merged = {step.number: step for step in merge[1]}
    # What the other had too goes; the rest moves; the relation between the two goes; the other one is rewired.
    x, z = create[1][4].number, create[1][5].number
    assert (merged[x].mark, merged[x].within) == (None, two)
    assert merged[z].within == one
    said = merged[z].before
    assert isinstance(said, ObservationRow)
    assert said.entity_no == two
    near, between = (step.number for step in relate[1])
    was = merged[near].before
    assert isinstance(was, RelationRow)
    assert was.triple == ("Two", "Three", "near")
    assert merged[near].mark == RelationRow(near, "One", "Three", "near", None, 0).mark
    assert merged[between].mark is None
    stood = merged[two].before
    assert isinstance(stood, EntityRow)
    assert stood.status == "active"
    assert merged[two].mark is not None
    # What was merged into an entity goes with it.
    assert {step.number for step in gone[1] if step.kind == "entity"} == {one, two}
    assert all(step.mark is None and step.before is not None for step in gone[1])
    assert len([step for step in gone[1] if step.kind == "observation"]) == 3
    assert seat.counts() == seat.stored() == (0, 0, 0)


@pytest.mark.promise("idempotent-writes")
def test_the_same_request_again_gets_the_same_answer_and_changes_nothing(seat: Seat) -> None:
    seat.create(entity("Caf\u00e9", "x"))
    asked = [entity("Cafe", "a", "a", "b"), entity("Caf\u00e9"), entity("New")]
    first = seat.create(*asked, once_key=once(seat, "one"))
    assert first["similar"] == [{"name": "Cafe", "existing": "Caf\u00e9"}]
    assert first["skipped"] == ["Caf\u00e9"]
    assert seat.create(*asked, once_key=once(seat, "one")) == first
    triples = [("Cafe", "Gone", "near"), ("Cafe", "New", "near"), ("Cafe", "New", "near")]
    related = seat.relate(*triples, once_key=once(seat, "two"))
    assert (related["skipped"], related["dangling"]) == (1, ["Gone"])
    assert seat.relate(*triples, once_key=once(seat, "two")) == related
    added = seat.observe({"Cafe": ["c", "a", "c"]}, once_key=once(seat, "three"))
    assert added == [{"entityName": "Cafe", "addedObservations": ["c"], "skipped": 2}]
    assert seat.observe({"Cafe": ["c", "a", "c"]}, once_key=once(seat, "three")) == added
    assert seat.delete("New", once_key=once(seat, "four")) == 1
    assert seat.delete("New", once_key=once(seat, "four")) == 1
    assert refusal(lambda: seat.delete("New", once_key=once(seat, "four", b"other"))).code == "conflict"
    assert seat.counts() == seat.stored() == (2, 4, 1)


def test_provenance_is_kept_and_shown(seat: Seat) -> None:
    seat.within("talk-1").create(entity("Dock", "Closes at five."))
    seat.within("talk-2").observe({"Dock": ["Opens at six."]})
    seat.within("talk-3").relate(("Dock", "Gate", "near"))
    seat.observe({"Dock": ["Nobody said where."]})
    shown = wire.sight(seat.details("Dock"), "whole")
    (dock,), (near,) = shown["entities"], shown["relations"]
    assert dock["conversation"] == "talk-1"
    assert [source.get("conversation") for source in dock["sources"]] == ["talk-1", "talk-2", None]
    assert (near["conversation"], near["dangling"]) == ("talk-3", True)
    # Merged, it stays with what was learned.
    seat.create(entity("Pier"))
    seat.merge("Dock", "Pier")
    (pier,) = wire.sight(seat.details("Pier"), "whole")["entities"]
    assert [source.get("conversation") for source in pier["sources"]] == ["talk-1", "talk-2", None]
