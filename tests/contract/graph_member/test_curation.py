"""What members see and change of their own graph."""

from __future__ import annotations

from typing import Any

import pytest

from tarimba.graph.model import NewEntity, NewObservation, NewRelation
from tests.contract.graph_member.desk import Desk
from tests.problems import assert_problem


def names(found: dict[str, Any]) -> list[str]:
    return [one["name"] for one in (found["items"] if "items" in found else found["entities"])]


def texts(desk: Desk, name: str) -> list[str]:
    return [one["text"] for one in desk.get("entity", name=name)["observations"]]


def test_a_graph_that_nobody_wrote_is_empty(desk: Desk) -> None:
    found = desk.get("entities")
    assert found == {
        "items": [],
        "types": [],
        "counts": {"entities": 0, "observations": 0, "relations": 0},
    }
    assert desk.get("changes")["items"] == desk.get("recent")["entities"] == []
    assert_problem(desk.ask("GET", "entity", name="Pump 7"), "not_found", 404)


def test_entities_are_listed_by_type_a_page_at_a_time(desk: Desk) -> None:
    for at in range(5):
        desk.make(f"Pump {at}", type_="pump" if at % 2 else "tank")
    found = desk.get("entities", limit=2)
    assert found["types"] == [{"type": "tank", "count": 3}, {"type": "pump", "count": 2}]
    assert found["counts"] == {"entities": 5, "observations": 0, "relations": 0}
    seen = names(found)
    while "next_cursor" in found:
        found = desk.get("entities", limit=2, cursor=found["next_cursor"])
        seen += names(found)
    assert seen == [f"Pump {at}" for at in range(5)]
    assert names(desk.get("entities", type="pump")) == ["Pump 1", "Pump 3"]
    desk.post("archive", {"name": "Pump 1"})
    assert names(desk.get("entities", type="pump")) == ["Pump 3"]
    assert names(desk.get("entities", status="archived")) == ["Pump 1"]


def test_an_entity_opens_with_everything_and_its_sources(desk: Desk) -> None:
    desk.learn(
        "talk-1",
        NewEntity("Pump 7", "machine", (NewObservation("Stands in hall 2", 0.5),)),
        NewRelation("Pump 7", "Tank 1", "feeds"),
    )
    desk.observe("talk-2", "Pump 7", "Was repaired")
    found = desk.get("entity", name="Pump 7", limit=1)
    (first,) = found["observations"]
    assert (first["confidence"], first["conversation_id"]) == (0.5, "talk-1")
    second = desk.get("entity", name="Pump 7", limit=1, cursor=found["next_cursor"])
    assert second["observations"][0]["conversation_id"] == "talk-2"
    assert "next_cursor" not in second
    (feeds,) = found["relations"]
    assert (feeds["to"], feeds["is_dangling"], feeds["conversation_id"]) == ("Tank 1", True, "talk-1")


def test_all_that_was_learned_in_a_conversation_is_found(desk: Desk) -> None:
    desk.learn("talk-1", NewEntity("Pump 7", "machine", (NewObservation("Hall 2"), NewObservation("Blue"))))
    desk.learn("talk-2", NewEntity("Tank 1", "tank"), NewRelation("Pump 7", "Tank 1", "feeds"))
    desk.observe("talk-2", "Pump 7", "Was repaired")
    desk.post("merge", {"source": "Pump 7", "target": "Tank 1"})
    found, seen = desk.get("conversation", conversation_id="talk-2", limit=1), []
    while True:
        seen += [one["name"] for one in found["entities"]]
        seen += [f"{one['entity']}: {one['observation']['text']}" for one in found["observations"]]
        seen += [one["relation_type"] for one in found["relations"]]
        if "next_cursor" not in found:
            break
        cursor = found["next_cursor"]
        found = desk.get("conversation", conversation_id="talk-2", limit=1, cursor=cursor)
    # The relation between the two went with the merge.
    assert seen == ["Tank 1", "Tank 1: Was repaired"]
    first = desk.get("conversation", conversation_id="talk-1")
    assert [one["observation"]["text"] for one in first["observations"]] == ["Hall 2", "Blue"]
    assert desk.get("conversation", conversation_id="talk-3")["entities"] == []


def test_the_neighbourhood_grows_with_the_hops_and_has_an_end(desk: Desk) -> None:
    for at in range(5):
        desk.make(f"Stop {at}")
    for at in range(4):
        desk.post("relations", {"from": f"Stop {at}", "to": f"Stop {at + 1}", "relation_type": "before"})
    for hops in (1, 2, 3):
        around = desk.get("neighbourhood", name="Stop 0", hops=hops)
        assert sorted(names(around)) == [f"Stop {at}" for at in range(hops + 1)]
        assert (len(around["relations"]), around["truncated"]) == (hops, False)
    few = desk.get("neighbourhood", name="Stop 2", hops=2, limit=3)
    assert (len(few["entities"]), few["truncated"]) == (3, True)
    assert_problem(desk.ask("GET", "neighbourhood", name="Stop 0", hops=4), "invalid_input", 422)


def test_search_and_recent_show_what_the_tools_show(desk: Desk) -> None:
    desk.make("Pump 7", "Stands in hall 2")
    assert names(desk.get("search", query="HALL")) == ["Pump 7"]
    assert desk.get("search", query="cellar")["search_type"] == "words"
    meant = desk.get("search", query="hall", by="meaning")
    assert (names(meant), meant["search_type"], len(meant["scores"])) == (["Pump 7"], "bm25", 1)
    assert names(desk.get("recent", hours=1)) == ["Pump 7"]


def test_a_renamed_entity_keeps_its_relations(desk: Desk) -> None:
    for name in ("Pump 7", "Tank 1"):
        desk.make(name, "Blue")
    desk.post("relations", {"from": "Pump 7", "to": "Tank 1", "relation_type": "feeds"})
    answer = desk.ask(
        "PATCH",
        "entity",
        name="Pump 7",
        json={"name": "Pump 8", "entity_type": "pump"},
        headers=desk.tag("Pump 7"),
    )
    assert (answer.status_code, answer.json()["changed"]) == (200, 1)
    found = desk.get("entity", name="Pump 8")
    assert (found["entity_type"], found["relations"][0]["from"]) == ("pump", "Pump 8")
    assert names(desk.get("search", query="Pump 8")) == ["Pump 8"]
    assert names(desk.get("search", query="Pump 7")) == []
    taken = desk.ask("PATCH", "entity", name="Pump 8", json={"name": "Tank 1"}, headers=desk.tag("Pump 8"))
    assert_problem(taken, "conflict", 409)


def test_observations_are_reworded_and_deleted_by_their_id(desk: Desk) -> None:
    desk.learn("talk-1", NewEntity("Pump 7", "machine", (NewObservation("Blue"), NewObservation("Old"))))
    blue, old = desk.get("entity", name="Pump 7")["observations"]
    change: dict[str, Any] = {"json": {"text": "Red", "confidence": 0.25}, "headers": desk.tag("Pump 7")}
    assert desk.ask("PATCH", "observation", name="Pump 7", id=blue["id"], **change).is_success
    red = desk.get("entity", name="Pump 7")["observations"][0]
    assert (red["text"], red["confidence"], red["conversation_id"]) == ("Red", 0.25, "talk-1")
    assert red["created_at"] == blue["created_at"]
    double: dict[str, Any] = {"json": {"text": "Old"}, "headers": desk.tag("Pump 7")}
    assert_problem(desk.ask("PATCH", "observation", name="Pump 7", id=red["id"], **double), "conflict", 409)
    assert desk.ask("DELETE", "observation", name="Pump 7", id=old["id"]).json()["changed"] == 1
    assert texts(desk, "Pump 7") == ["Red"]
    assert_problem(desk.ask("DELETE", "observation", name="Pump 7", id=old["id"]), "not_found", 404)


@pytest.mark.promise("graph-two-tabs")
def test_who_has_not_seen_the_present_state_edits_nothing(desk: Desk) -> None:
    desk.make("Pump 7", "Blue")
    seen = desk.tag("Pump 7")
    unseen = desk.ask("PATCH", "entity", name="Pump 7", json={"entity_type": "pump"})
    assert_problem(unseen, "precondition_required", 428)
    desk.post("observations", {"name": "Pump 7", "observations": [{"text": "Old"}]})
    stale = desk.ask("PATCH", "entity", name="Pump 7", json={"entity_type": "pump"}, headers=seen)
    assert_problem(stale, "precondition_failed", 412)
    (blue, _) = desk.get("entity", name="Pump 7")["observations"]
    stale = desk.ask("PATCH", "observation", name="Pump 7", id=blue["id"], json={"text": "Red"}, headers=seen)
    assert_problem(stale, "precondition_failed", 412)
    assert desk.get("entity", name="Pump 7")["entity_type"] == "machine"


def test_an_entity_may_have_no_type_at_any_door(desk: Desk) -> None:
    desk.make("Pump 7", type_="")
    desk.learn(None, NewEntity("Pump 8", ""))
    assert [one["name"] for one in desk.get("entities", type="")["items"]] == ["Pump 7", "Pump 8"]
    desk.ask("PATCH", "entity", name="Pump 8", json={"entity_type": "pump"}, headers=desk.tag("Pump 8"))
    edited = desk.ask("PATCH", "entity", name="Pump 8", json={"entity_type": ""}, headers=desk.tag("Pump 8"))
    assert edited.status_code == 200
    assert desk.get("entity", name="Pump 8")["entity_type"] == ""


@pytest.mark.promise("graph-member-alone")
def test_nobody_but_the_member_reads_or_changes_it(desk: Desk) -> None:
    desk.make("Pump 7", "Blue")
    before = desk.export()
    sent: dict[str, Any] = {"content": b"{}", "headers": {"content-type": "application/json"}}
    for who in ("owner", "manager", "operator", "auditor", "admin", "billing"):
        answers = [desk.ask("GET", path, who=who) for path in ("entities", "changes", "recent", "export")]
        answers += [
            desk.ask("GET", "entity", who=who, name="Pump 7"),
            desk.ask("POST", "archive", who=who, json={"name": "Pump 7"}),
            desk.ask("POST", "import", who=who, **sent),
        ]
        assert {answer.status_code for answer in answers} <= {403, 404}, who
    assert desk.export() == before


@pytest.mark.promise("graph-untold")
def test_receipts_hold_no_name_text_or_conversation(desk: Desk) -> None:
    desk.learn("talk-1", NewEntity("Marmelade", "Preserve", (NewObservation("Tastes of orange"),)))
    desk.get("entity", name="Marmelade")
    desk.get("neighbourhood", name="Marmelade")
    desk.get("conversation", conversation_id="talk-1")
    desk.ask("PATCH", "entity", name="Marmelade", json={"name": "Compote"}, headers=desk.tag("Marmelade"))
    desk.take_in(desk.export("better"))
    told = str(desk.log())
    for word in ("Marmelade", "Preserve", "orange", "talk-1", "Compote"):
        assert word not in told
