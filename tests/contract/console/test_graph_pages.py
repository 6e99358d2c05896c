"""My graph: what the pages say is what the API says, and every correction can be undone."""

from __future__ import annotations

import gzip
import html
import json
import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from tarimba.graph.model import NewEntity, NewObservation, NewRelation
from tests.contract.console.seat import Own, hidden, query, shown_text
from tests.contract.console.visitor import Office, Visitor

GRAPH = "/v1/memory-graph"
PAYLOAD = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'"


@pytest.fixture
def own(office: Office) -> Own:
    own = Own(office)
    pump = NewEntity("Pump 7", "machine", (NewObservation("Stands in hall 2.", 0.873),))
    own.learn("talk-1", pump, NewRelation("Pump 7", "Tank 1", "feeds"), NewRelation("Pump 7", "Lost", "uses"))
    own.learn("talk-2", NewEntity("Tank 1", "vessel", (NewObservation("Holds water."),)))
    return own


def names(own: Own, status: str = "active") -> list[str]:
    return [one["name"] for one in own.get(f"{GRAPH}/entities", status=status)["items"]]


def entity(one: Visitor, name: str = "Pump 7") -> str:
    """Opens the page of an entity and says its query."""
    where = query(name=name)
    assert one.open(f"/graph/entity?{where}").status_code == 200
    return where


@pytest.mark.promise("console-graph")
def test_entities_are_listed_by_type_and_searched(own: Own) -> None:
    one = own.office.enter("member")
    one.open("/graph")
    assert "2 entities" in shown_text(one)
    assert "machine (1)" in shown_text(one)
    one.open(f"/graph?{query(type='vessel')}")
    assert "Tank 1" in shown_text(one)
    assert "Pump 7" not in shown_text(one)
    one.open(f"/graph?{query(text='HALL')}")
    assert "Stands in hall 2." in shown_text(one)
    one.open(f"/graph?{query(text='water', by='meaning')}")
    assert "Tank 1" in shown_text(one)
    assert "Nothing found" in one.open(f"/graph?{query(text='submarine')}").text


@pytest.mark.promise("console-graph")
def test_a_long_list_is_paged(own: Own) -> None:
    own.learn(None, *(NewEntity(f"Valve {at}", "valve") for at in range(30)))
    one = own.office.enter("member")
    first = one.open("/graph")
    following = re.search(r'href="/console(/graph\?[^"]*cursor=[^"]*)"', first.text)
    assert following is not None
    assert "Valve 29" not in first.text
    assert "Valve 29" in one.open(html.unescape(following[1])).text


@pytest.mark.promise("console-graph")
def test_an_entity_is_opened_with_its_sources_and_what_a_conversation_taught(own: Own) -> None:
    one = own.office.enter("member")
    entity(one)
    said = shown_text(one)
    assert "87.3% sure" in said
    assert "does not exist" in said
    assert "talk-1" in one.page
    one.open(f"/graph/learned?{query(conversation='talk-1')}")
    assert "Stands in hall 2." in shown_text(one)
    assert "Holds water." not in shown_text(one)
    one.open(f"/graph/recent?{query(hours='24')}")
    assert "Tank 1" in shown_text(one)
    assert one.open(f"/graph/entity?{query(name='Nobody')}").status_code == 404


@pytest.mark.promise("console-graph")
def test_an_observation_is_corrected_without_touching_what_was_not_changed(own: Own) -> None:
    one = own.office.enter("member")
    where = entity(one)
    key = own.get(f"{GRAPH}/entity", name="Pump 7")["observations"][0]["id"]
    seen = hidden(one, "seen")
    form = {"text": "Stands in hall 3.", "confidence": "87.3", "seen": seen}
    assert one.send(f"/graph/entity/observation?{where}&id={key}", **form).status_code == 303
    (found,) = own.get(f"{GRAPH}/entity", name="Pump 7")["observations"]
    assert (found["text"], found["confidence"], found["conversation_id"]) == (
        "Stands in hall 3.",
        0.873,
        "talk-1",
    )
    stale = one.send(f"/graph/entity/observation?{where}&id={found['id']}", **form | {"text": "In hall 4."})
    assert stale.status_code == 412
    assert "In hall 4." in shown_text(one)
    assert "Stands in hall 3." in own.get(f"{GRAPH}/entity", name="Pump 7")["observations"][0]["text"]
    wrong = one.send(f"/graph/entity/observe?{where}", text="Loud.", confidence="very")
    assert wrong.status_code == 422
    assert "Loud." in shown_text(one)
    one.send(f"/graph/entity/observe?{where}", text="Loud.", confidence="50")
    one.send(f"/graph/entity/observation/delete?{where}&id={found['id']}")
    assert [each["text"] for each in own.get(f"{GRAPH}/entity", name="Pump 7")["observations"]] == ["Loud."]


@pytest.mark.promise("console-graph")
def test_an_entity_is_renamed_related_and_put_away(own: Own) -> None:
    one = own.office.enter("member")
    where = entity(one)
    seen = hidden(one, "seen")
    taken = one.send(f"/graph/entity?{where}", new_name="Tank 1", type="machine", seen=seen)
    assert taken.status_code == 409
    assert 'value="Tank 1"' in one.page
    moved = one.send(f"/graph/entity?{where}", new_name="Pump 8", type="pump", seen=seen)
    assert one.follow(moved).status_code == 200
    where = query(name="Pump 8")
    one.send(f"/graph/entity/relate?{where}", way="in", other="Tank 1", relation="cools")
    one.send(f"/graph/entity/unrelate?{where}", way="out", other="Lost", relation="uses")
    found = own.get(f"{GRAPH}/entity", name="Pump 8")
    assert found["entity_type"] == "pump"
    assert [(each["from"], each["relation_type"], each["to"]) for each in found["relations"]] == [
        ("Pump 8", "feeds", "Tank 1"),
        ("Tank 1", "cools", "Pump 8"),
    ]
    one.send(f"/graph/entity/archive?{where}")
    assert names(own, "archived") == ["Pump 8"]
    one.send(f"/graph/entity/unarchive?{where}")
    assert names(own) == ["Pump 8", "Tank 1"]


@pytest.mark.promise("console-graph")
def test_two_entities_are_merged_and_a_change_is_undone(own: Own) -> None:
    own.learn(None, NewEntity("Pump seven", "machine", (NewObservation("Was repaired."),)))
    one = own.office.enter("member")
    where = query(name="Pump seven")
    one.open(f"/graph/merge?{where}")
    assert 'value="Pump 7"' in one.page
    assert one.send(f"/graph/merge?{where}", target="Pump 99").status_code == 404
    merged = one.send(f"/graph/merge?{where}", target="Pump 7")
    assert "Was repaired." in one.follow(merged).text
    one.open(f"/graph/entity?{where}")
    assert "Merged into" in shown_text(one)
    one.open(f"/graph/changes?{query()}")
    change = hidden(one, "change")
    assert "Entities merged" in shown_text(one)
    assert one.send(f"/graph/undo?{query()}", change=change).status_code == 303
    assert names(own) == ["Pump 7", "Tank 1", "Pump seven"]
    again = one.send(f"/graph/undo?{query()}", change=change)
    assert again.status_code == 409
    assert "Change undone" in shown_text(one)


@pytest.mark.promise("console-graph")
def test_the_list_of_changes_names_what_each_was_about(own: Own) -> None:
    steps = tuple(NewEntity(f"Step {number}", "step") for number in range(5))
    own.learn("conv-1", *steps, NewRelation("Step 1", "Step 2", "precedes"))
    one = own.office.enter("member")
    one.open(f"/graph/delete?{query(name='Step 4')}")
    one.send(f"/graph/delete?{query(name='Step 4')}")
    one.open(f"/graph/changes?{query()}")
    rows = LexborHTMLParser(one.page).css("tbody tr")
    deleted, related, created = (" ".join(row.text(separator=" ").split()) for row in rows[:3])
    assert "Step 4" in deleted
    assert "/console/graph/entity?name=Step+4" not in one.page
    assert "Step 1" in related
    assert "Step 2" not in related
    assert "Step 0 , Step 1 , Step 2 and 1 more" in created
    assert "/console/graph/entity?name=Step+0" in one.page


@pytest.mark.promise("console-graph")
def test_deleting_asks_first_and_can_be_undone(own: Own) -> None:
    one = own.office.enter("member")
    where = query(name="Pump 7")
    one.open(f"/graph/delete?{where}")
    assert "1 observation" in shown_text(one)
    assert names(own) == ["Pump 7", "Tank 1"]
    one.follow(one.send(f"/graph/delete?{where}"))
    assert names(own) == ["Tank 1"]
    one.send(f"/graph/undo?{query()}", change=hidden(one, "change"))
    assert names(own) == ["Pump 7", "Tank 1"]
    one.open(f"/graph/new?{query()}")
    assert one.send(f"/graph/new?{query()}", name="Pump 7", type="machine", text="").status_code == 409
    one.send(f"/graph/new?{query()}", name="Hall 2", type="place", text="Is cold.", confidence="")
    assert names(own) == ["Pump 7", "Tank 1", "Hall 2"]


@pytest.mark.promise("console-graph")
def test_the_map_holds_what_is_around_and_travels_quickly(own: Own) -> None:
    valves = [f"Valve {at}" for at in range(80)]
    own.learn(None, *(NewEntity(valve, "valve") for valve in valves))
    own.learn(None, *(NewRelation(valve, "Tank 1", "guards") for valve in valves))
    one = own.office.enter("member")
    page = one.open(f"/graph/map?{query(name='Tank 1')}")
    found = re.search(r'data-graph="([^"]*)"', page.text)
    assert found is not None
    drawn = json.loads(html.unescape(found[1]))
    assert drawn["names"][:2] == ["Tank 1", "Pump 7"]
    assert [1, 0, "feeds"] in drawn["edges"]
    assert (len(drawn["names"]), drawn["there"], drawn["center"]) == (60, 60, 0)
    assert "There is more around" in shown_text(one)
    loaded = re.findall(r'(?:src|href)="(/console/static/[^"]*)"', page.text)
    # The client of the test unpacks what it gets; packed again it is what travelled.
    sent = sum(len(gzip.compress(one.http.get(path).content, 9, mtime=0)) for path in loaded)
    assert any("cytoscape" in path for path in loaded)
    busy = one.open(f"/graph/entity?{query(name='Tank 1')}")
    assert len(busy.content) < 100_000
    assert "Valve 79" not in busy.text
    assert "Valve 79" in one.open(f"/graph/entity?{query(name='Tank 1', relations='60')}").text
    assert sent + len(page.content) < 150_000


def test_static_files_are_packed_for_those_who_take_it(own: Own) -> None:
    one = own.office.browser()
    path = re.findall(r'src="(/console/static/[^"]*)"', one.open("/sign-in").text)[0]
    packed = one.http.get(path, headers={"accept-encoding": "br, gzip;q=0.5"})
    plain = one.http.get(path, headers={"accept-encoding": "gzip;q=0, identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert packed.headers["vary"] == plain.headers["vary"] == "accept-encoding"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"])


@pytest.mark.promise("console-inert")
def test_what_the_graph_holds_is_text(own: Own) -> None:
    bad = f"E {PAYLOAD}"
    own.learn(
        f"talk {PAYLOAD}",
        NewEntity(bad, f"T {PAYLOAD}", (NewObservation(f"O {PAYLOAD}"),)),
        NewRelation(bad, "Pump 7", f"R {PAYLOAD}"),
        NewRelation("Pump 7", f"N {PAYLOAD}", "sees"),
    )
    one = own.office.enter("member")
    for path in (
        "/graph",
        f"/graph?{query(text='script')}",
        f"/graph/entity?{query(name=bad)}",
        f"/graph/entity?{query(name='Pump 7')}",
        f"/graph/map?{query(name='Pump 7', hops='2')}",
        f"/graph/merge?{query(name=bad)}",
        f"/graph/delete?{query(name=bad)}",
        f"/graph/recent?{query()}",
        f"/graph/learned?{query(conversation=f'talk {PAYLOAD}')}",
        f"/graph/changes?{query()}",
    ):
        page = one.open(path)
        assert page.status_code == 200, path
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
