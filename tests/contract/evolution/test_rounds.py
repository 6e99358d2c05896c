"""From finished tasks to drafts: what is recorded, what is grouped, what is never drafted twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select

from tarimba.erasure import erasing
from tarimba.evolution import listening, rounds, service
from tarimba.storage.tables import evolution_mark, job, outbox, skill_draft, task_record
from tests.contract.conversations.talks import action, item
from tests.contract.evolution.stage import DRAFTS, VOID, Office
from tests.contract.notes.world import at_once


def records(office: Office) -> list[Any]:
    return list(office.rows(task_record))


def events(office: Office) -> list[dict[str, Any]]:
    query = select(outbox.c.payload).where(
        outbox.c.space_id == office.world.space_id, outbox.c.type == "skill.drafted"
    )
    with office.kernel.database.read() as connection:
        return [json.loads(payload) for payload in connection.scalars(query)]


@pytest.mark.promise("evolution-off")
def test_while_it_is_off_nothing_is_kept_and_what_ended_is_passed_over(office: Office) -> None:
    office.did()
    office.listen()
    assert records(office) == []
    office.mode("draft")
    assert office.drafted() == []
    office.did()
    assert office.one()["seen"] == 2


@pytest.mark.promise("evolution-records")
def test_a_record_holds_operations_outcome_and_duration_and_no_text(office: Office) -> None:
    office.mode("observe")
    done = [
        action(name, task_id="t-1", action={"result": "Bring it to the back door", "purpose": "Calm them"})
        for name in ("invoice.void", "invoice.void", "order.reopen", "invoice.void")
    ]
    office.sent(*done, item("task.ended", task_id="t-1", succeeded=False))
    office.listen()
    (row,) = records(office)
    assert json.loads(row.operations) == ["invoice.void", "order.reopen", "invoice.void"]
    assert (row.source_id, row.succeeded) == (office.world.sources["billing"], 0)
    assert row.duration_ms >= 0
    assert "door" not in str(row)
    assert "t-1" not in str(row)
    office.listen()
    assert len(records(office)) == 1


def test_two_listeners_at_once_keep_each_task_once(office: Office) -> None:
    office.mode("observe")
    office.did(times=7)
    assert set(at_once([office.listen] * 3)) == {"ok"}
    assert len(records(office)) == 7


def test_more_tasks_than_a_piece_takes_are_kept_in_pieces(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "TASKS_AT_ONCE", 2)
    office.mode("observe")
    office.did(times=5)
    assert service.listen(office.kernel)
    assert len(records(office)) == 2
    office.listen()
    assert len(records(office)) == 5


@pytest.mark.promise("evolution-habit")
@pytest.mark.parametrize(
    ("well", "badly", "makes"), [(1, 0, 0), (2, 0, 1), (1, 1, 0), (7, 3, 1), (2, 1, 0), (0, 2, 0)]
)
def test_a_habit_is_seen_twice_and_goes_well_seven_times_in_ten(
    office: Office, well: int, badly: int, makes: int
) -> None:
    office.mode("draft")
    office.did(times=well)
    office.did(times=badly, succeeded=False)
    made = office.drafted()
    assert len(made) == makes
    for draft in made:
        assert (draft["seen"], draft["succeeded"], draft["state"]) == (well + badly, well, "pending")


def test_a_task_that_ended_without_a_word_of_failure_counts_as_a_success(office: Office) -> None:
    office.mode("draft")
    office.did(succeeded=None)
    assert office.one()["succeeded"] == 2


def test_tasks_without_an_operation_make_nothing(office: Office) -> None:
    office.mode("draft")
    for task in ("t-1", "t-2"):
        office.sent(item("task.ended", task_id=task, succeeded=True))
    assert office.drafted() == []
    assert len(records(office)) == 2


def test_habits_are_of_one_agent_and_of_one_order(office: Office) -> None:
    office.mode("draft")
    office.did(times=1)
    office.did(times=1, who="support")
    office.did("order.reopen", "invoice.void", times=1)
    assert office.drafted() == []


@pytest.mark.promise("evolution-draft")
def test_without_a_model_the_operations_become_a_skill(office: Office) -> None:
    office.mode("draft")
    office.did()
    draft = office.one()
    assert (draft["name"], draft["writer"], draft["problem"]) == (
        "invoice-void-order-reopen",
        "operations",
        None,
    )
    assert draft["operations"] == list(VOID)
    assert draft["text"] == (
        "---\n"
        "name: invoice-void-order-reopen\n"
        "description: Use when a task calls for `invoice.void`, then `order.reopen`.\n"
        "---\n\n"
        "Drawn from the operations of 2 finished tasks; 2 of them went well. What was done, in order:\n\n"
        "1. `invoice.void`\n"
        "2. `order.reopen`\n"
    )
    (event,) = events(office)
    assert event == {
        "draft_id": draft["draft_id"],
        "source_id": draft["source_id"],
        "seen": 2,
        "succeeded": 2,
        "writer": "operations",
    }
    asked, written = office.world.receipts("evolution.round")
    assert (asked["actor"]["type"], asked["detail"]) == ("person", {"again": False, "candidates": 1})
    assert (written["draft_id"], written["via"], written["detail"]["state"]) == (
        draft["draft_id"],
        "worker",
        "pending",
    )


def test_two_habits_with_the_words_of_one_name_get_two_names(office: Office) -> None:
    office.mode("draft")
    office.did("invoice.void", "order.reopen")
    office.did("invoice", "void-order", "reopen")
    assert sorted(draft["name"] for draft in office.drafted()) == [
        "invoice-void-order-reopen",
        "invoice-void-order-reopen-2",
    ]


@pytest.mark.promise("evolution-once")
def test_a_habit_is_drafted_once_and_after_a_refusal_only_when_somebody_asks(office: Office) -> None:
    office.mode("draft")
    office.did()
    draft = office.one()
    office.did()
    assert office.drafted() == []
    assert office.drafted(again=True) == []
    assert office.decide(draft["draft_id"], "refuse").json()["state"] == "refused"
    assert office.drafted() == []
    second = office.one(again=True)
    assert (second["state"], second["seen"], second["name"]) == ("pending", 4, draft["name"])
    assert office.drafted(again=True) == []


def test_rounds_at_once_make_one_draft(office: Office) -> None:
    office.mode("draft")
    office.did()
    caller = office.world.caller("operator")
    assert set(at_once([lambda: service.ask(office.kernel, caller)] * 3)) == {"ok"}
    assert office.world.count(skill_draft) == 1


def test_a_round_takes_so_many_and_says_that_there_are_more(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "ROUND_MAX", 1)
    office.mode("draft")
    office.did("a.b", "c.d", times=3)
    office.did()
    first = office.round().json()
    assert (len(first["draft_ids"]), first["has_more"]) == (1, True)
    assert office.draft(first["draft_ids"][0])["seen"] == 3
    second = office.round().json()
    assert (len(second["draft_ids"]), second["has_more"]) == (1, False)


def test_a_round_of_one_agent_leaves_the_others(office: Office) -> None:
    office.mode("draft")
    office.did()
    office.did(who="support")
    (draft,) = office.drafted(source_id=office.world.sources["support"])
    assert draft["source_id"] == office.world.sources["support"]
    for unknown in ("nobody", office.world.space_id):
        assert office.round(source_id=unknown).json()["code"] == "not_found"


@pytest.mark.promise("evolution-every")
def test_after_so_many_tasks_a_round_is_made_by_itself(office: Office) -> None:
    office.mode("draft", every=3)
    office.did(times=2)
    office.listen()
    office.work()
    assert office.world.count(skill_draft) == 0
    office.did(times=1)
    office.listen()
    office.work()
    (row,) = office.rows(skill_draft)
    assert (row.state, row.seen) == ("pending", 3)
    (mark,) = office.rows(evolution_mark)
    assert mark.tasks_since == 0
    assert office.world.count(job) == 0


def test_in_a_space_that_only_observes_no_round_is_made_by_itself(office: Office) -> None:
    office.mode("observe", every=1)
    office.did()
    office.listen()
    office.work()
    assert len(records(office)) == 2
    assert office.world.count(skill_draft) == 0


@pytest.mark.parametrize("mode", ["off", "observe"])
def test_where_no_drafts_are_made_a_round_names_the_setting(office: Office, mode: str) -> None:
    office.mode(mode)
    refused = office.round()
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "evolution.mode" in refused.json()["detail"]
    assert office.world.receipts("evolution.round") == []


@pytest.mark.promise("evolution-by-role")
@pytest.mark.parametrize(
    ("who", "asks", "reads"),
    [
        ("owner", 202, 200),
        ("operator", 202, 200),
        ("admin", 202, 200),
        ("reviewer", 403, 200),
        ("auditor", 403, 200),
        ("manager", 403, 403),
        ("member", 403, 403),
        ("billing", 403, 403),
    ],
)
def test_who_may_ask_and_who_may_read(office: Office, who: str, asks: int, reads: int) -> None:
    office.mode("draft")
    office.did()
    draft = office.one()
    assert office.round(who).status_code == asks
    assert office.ask("GET", DRAFTS, who).status_code == reads
    assert office.ask("GET", f"{DRAFTS}/{draft['draft_id']}", who).status_code == reads


def test_a_list_is_in_pages_and_narrowed(office: Office) -> None:
    office.mode("draft")
    office.did()
    office.did("a.b", "c.d")
    office.did(who="courier")
    made = office.drafted()
    office.decide(made[0]["draft_id"], "refuse")
    first = office.ask("GET", f"{DRAFTS}?limit=2", "auditor").json()
    rest = office.ask("GET", f"{DRAFTS}?limit=2&cursor={first['next_cursor']}", "auditor").json()
    assert rest["next_cursor"] is None
    listed = [draft["draft_id"] for draft in first["items"] + rest["items"]]
    assert listed == [draft["draft_id"] for draft in reversed(made)]
    refused = office.ask("GET", f"{DRAFTS}?state=refused", "auditor").json()["items"]
    assert [draft["draft_id"] for draft in refused] == [made[0]["draft_id"]]
    source = office.world.sources["courier"]
    theirs = office.ask("GET", f"{DRAFTS}?source_id={source}", "auditor").json()["items"]
    assert [draft["source_id"] for draft in theirs] == [source]
    for bad in ("state=later", "limit=0", "limit=101", "cursor=x", "order=up"):
        assert office.ask("GET", f"{DRAFTS}?{bad}", "auditor").status_code == 422
    assert office.ask("GET", f"{DRAFTS}/x", "auditor").status_code == 404


@pytest.mark.parametrize("body", [{"again": "yes"}, {"source_id": 5}, {"more": True}])
def test_a_round_takes_no_other_body(office: Office, body: dict[str, Any]) -> None:
    office.mode("draft")
    assert office.round(**body).status_code == 422


@pytest.mark.promise("evolution-erased")
def test_erasing_an_agent_takes_its_records_and_drafts(office: Office) -> None:
    office.mode("draft")
    office.did()
    office.did(who="support")
    office.drafted()
    source = office.world.sources["billing"]
    assert office.ask("DELETE", f"/v1/agent-memory/notes?source_id={source}", "owner").status_code == 200
    assert {row.source_id for row in office.rows(task_record)} == {office.world.sources["support"]}
    assert {row.source_id for row in office.rows(skill_draft)} == {office.world.sources["support"]}
    assert office.drafted(again=True) == []


@pytest.mark.promise("evolution-erased")
def test_a_round_in_the_middle_of_an_erasure_leaves_no_draft(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.mode("draft")
    office.did()
    scrub = erasing.scrub

    def scrub_after_a_round(*arguments: Any) -> Any:
        assert len(office.drafted()) == 1
        return scrub(*arguments)

    monkeypatch.setattr(erasing, "scrub", scrub_after_a_round)
    source = office.world.sources["billing"]
    assert office.ask("DELETE", f"/v1/agent-memory/notes?source_id={source}", "owner").status_code == 200
    assert office.world.count(skill_draft) == 0
