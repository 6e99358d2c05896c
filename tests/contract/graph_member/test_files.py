"""A graph as a file: out, in, in again, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tarimba.clock import SECOND
from tarimba.errors import Refusal
from tarimba.graph import importing, taking
from tarimba.graph.model import NewEntity, NewObservation, NewRelation
from tarimba.graph.service import IMPORT, undo_import
from tarimba.jobs.service import Worker
from tests.contract.graph_member.desk import Desk
from tests.problems import assert_problem

MEMORY = """\
{"type":"entity","name":"Pump 7","entityType":"machine","observations":["Hall 2","Blue"]}
{"type":"relation","from":"Pump 7","to":"Tank 1","relationType":"feeds"}

{"type":"bookmark","name":"Pump 7"}
{"type":"entity","name":"Pump 7","entityType":"pump","observations":["Blue","Old"]}
{"type":"entity","name":"Tank 1","entityType":"tank","observations":[{"content":"Full"}]}
{"type":"entity","name":"Tank 2","entityType":"ta"""


def lines(count: int) -> str:
    rows: list[dict[str, Any]] = []
    for at in range(count):
        name = f"Part {at}"
        rows.append({"type": "entity", "name": name, "entityType": "part", "observations": [f"Shelf {at}"]})
        rows.append({"type": "relation", "from": name, "to": "Part 0", "relationType": "after"})
    return "\n".join(map(json.dumps, rows))


def content(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(desk.export())
    return found


def laid_out(desk: Desk) -> None:
    """A graph with an entity of each status, learned in conversations."""
    pump = NewEntity("Pump 7", "machine", (NewObservation("Hall 2", 0.5), NewObservation("Blue")))
    desk.learn("talk-1", pump, NewRelation("Pump 7", "Tank 1", "feeds"))
    desk.learn("talk-2", NewEntity("Tank 1", "tank", (NewObservation("Full"),)))
    desk.learn(None, NewEntity("Pump", "machine", (NewObservation("Stands in the yard"),)))
    desk.learn("talk-3", NewEntity("Old boiler", "machine"))
    desk.post("merge", {"source": "Pump", "target": "Pump 7"})
    desk.post("archive", {"name": "Old boiler"})


@pytest.mark.promise("graph-import")
def test_a_file_of_the_reference_server_is_taken_in_as_far_as_it_can_be_read(desk: Desk) -> None:
    done = desk.take_in(b"\xef\xbb\xbf" + MEMORY.replace("\n", "\r\n").encode())
    counts = {name: done[name] for name in ("entities", "observations", "relations", "known")}
    assert counts == {"entities": 2, "observations": 4, "relations": 1, "known": 2}
    assert done["refused"] == [
        {"part": "lines", "number": 4, "reason": "type: must be `entity` or `relation`"},
        {"part": "lines", "number": 7, "reason": "is cut off"},
    ]
    pump, tank = content(desk)["entities"]
    assert (pump["entityType"], pump["observations"]) == ("machine", ["Hall 2", "Blue", "Old"])
    assert (tank["name"], tank["observations"]) == ("Tank 1", ["Full"])


@pytest.mark.promise("graph-import")
def test_what_can_not_be_merged_as_the_file_says_is_kept_archived_and_told(desk: Desk) -> None:
    into = {"A": "Nowhere", "B": "B", "C": "D", "D": "C"}
    rows = [
        {
            "type": "entity",
            "name": name,
            "entityType": "x",
            "observations": [name],
            "merged": True,
            "mergedInto": to,
        }
        for name, to in into.items()
    ]
    done = desk.take_in("\n".join(map(json.dumps, rows)))
    reasons = {one["number"]: one["reason"] for one in done["refused"]}
    kept = "; the entity was kept, archived"
    assert reasons == {
        1: f"mergedInto: names no entity{kept}",
        2: f"mergedInto: names the entity itself{kept}",
        4: f"mergedInto: goes round in a circle{kept}",
    }
    found = {one["name"]: one for one in content(desk)["entities"]}
    assert {name for name, one in found.items() if one.get("archived")} == {"A", "B", "D"}
    assert found["C"]["mergedInto"] == "D"
    assert sorted(found["D"]["observations"]) == ["C", "D"]


@pytest.mark.promise("graph-import")
def test_the_same_file_twice_changes_nothing(desk: Desk) -> None:
    desk.take_in(MEMORY)
    before, changes = content(desk), desk.get("changes")["items"]
    again = desk.take_in(MEMORY)
    assert (again["entities"], again["observations"], again["relations"]) == (0, 0, 0)
    assert (content(desk), desk.get("changes")["items"]) == (before, changes)


@pytest.mark.promise("graph-provenance-kept")
@pytest.mark.parametrize("format_", ["better", "json"])
def test_times_sources_and_statuses_survive_export_and_import(desk: Desk, format_: str) -> None:
    laid_out(desk)
    file, before = desk.export(format_), content(desk)
    assert desk.ask("GET", "export", format="better").headers["content-type"] == "application/x-ndjson"
    other = Desk(desk.api, desk.api.found())
    done = other.take_in(file)
    assert done["refused"] == []
    after = content(other)
    for one in [*before["entities"], *after["entities"]]:
        one.pop("mergedAt", None)
    assert after == before
    learned = other.get("conversation", conversation_id="talk-1")
    assert [one["observation"]["text"] for one in learned["observations"]] == ["Hall 2", "Blue"]
    assert [one["name"] for one in learned["entities"]] == ["Pump 7"]
    assert other.take_in(file)["entities"] == 0
    assert content(other)["relations"] == before["relations"]


def test_the_reference_format_leaves_out_what_was_merged_away(desk: Desk) -> None:
    laid_out(desk)
    rows = [json.loads(line) for line in desk.export("jsonl").splitlines()]
    assert [row["name"] for row in rows if row["type"] == "entity"] == ["Pump 7", "Tank 1", "Old boiler"]
    assert rows[0] == {
        "type": "entity",
        "name": "Pump 7",
        "entityType": "machine",
        "observations": ["Hall 2", "Blue", "Stands in the yard"],
    }


def test_a_document_that_is_none_is_refused_and_nothing_is_kept(desk: Desk) -> None:
    body = json.dumps({"entities": [{"name": "Pump 7", "entityType": "machine"}]})[:-1]
    answer = desk.ask("POST", "import", content=body.encode(), headers={"content-type": "application/json"})
    assert_problem(answer, "invalid_input", 400)
    assert content(desk) == {"entities": [], "relations": []}


def test_a_file_has_limits_of_its_own_and_of_the_graph(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = {"content-type": "application/x-ndjson"}
    odd = desk.ask("POST", "import", content=b"{}", headers={"content-type": "text/plain"})
    assert_problem(odd, "unsupported_media_type", 415)
    with monkeypatch.context() as narrow:
        narrow.setattr(importing, "BYTES_MAX", 100)
        answer = desk.ask("POST", "import", content=lines(2).encode(), headers=sent)
        assert_problem(answer, "too_large", 413)
    kernel = desk.api.kernel
    small = replace(kernel, settings=kernel.settings.model_copy(update={"graph_entities_max": 139}))
    with pytest.raises(Refusal, match="may hold 139 entities"):
        importing.import_graph(small, desk.scope, desk.by, iter([lines(140).encode()]))
    assert content(desk) == {"entities": [], "relations": []}
    assert desk.take_in(lines(139), headers=sent)["entities"] == 139


def test_a_large_file_is_one_change_and_a_replay_answers_the_same(desk: Desk) -> None:
    key = {"idempotency-key": "one"}
    done = desk.take_in(lines(150), headers=key)
    assert (done["entities"], done["observations"], done["relations"]) == (150, 150, 150)
    assert desk.take_in(lines(150), headers=key) == done
    (change,) = desk.get("changes")["items"]
    assert (change["action"], change["undo"]) == ("import", "too_large")
    assert desk.get("entities")["counts"] == {"entities": 150, "observations": 150, "relations": 150}
    assert [one["name"] for one in desk.get("search", query="Shelf 77")["entities"]] == ["Part 77"]
    undone = desk.ask("POST", "undo", json={"change_id": change["change_id"]})
    assert_problem(undone, "conflict", 409)


class BrokenOffError(Exception):
    """What a test lets happen in the middle of a file."""


def broken_off(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Takes in a file that fails in its third part. What a reader is answered at that moment."""
    prepare = taking.prepare
    seen: list[int] = []

    def failing(texts: Any, records: Any) -> None:
        seen.append(0 if len(seen) < 2 else desk.ask("GET", "entities").status_code)
        if seen[-1]:
            raise BrokenOffError
        prepare(texts, records)

    monkeypatch.setattr(taking, "prepare", failing)
    with pytest.raises(BrokenOffError):
        importing.import_graph(desk.api.kernel, desk.scope, desk.by, iter([lines(400).encode()]))
    return seen


@pytest.mark.promise("graph-import")
def test_nothing_is_seen_before_all_is_there_and_what_is_given_up_is_taken_out(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.make("Part 5", "Was here before")
    before, page = content(desk), desk.get("entities")
    assert broken_off(desk, monkeypatch) == [0, 0, 503]
    assert (content(desk), desk.get("entities")["counts"]) == (before, page["counts"])
    assert desk.get("entity", name="Part 5")["observation_count"] == 1
    assert desk.get("search", query="Shelf")["entities"] == []


@pytest.mark.promise("graph-import")
def test_what_a_process_that_died_had_stored_is_taken_out_by_another(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.make("Part 5", "Was here before")
    before = content(desk)
    with monkeypatch.context() as dying:
        dying.setattr("tarimba.graph.importing.jobs.run", lambda *_: None)
        broken_off(desk, dying)
    assert desk.ask("GET", "entities").status_code == 503
    desk.api.kernel.clock.offset_us += 60 * SECOND
    worker = Worker(desk.api.kernel, {IMPORT: undo_import})
    assert worker.piece()
    last = desk.log()[-1]
    assert (last["detail"]["state"], last["person_id"], last["via"]) == ("undone", desk.member, "worker")
    assert content(desk) == before
    assert desk.take_in(lines(2))["entities"] == 2
