"""From recorded turns to what a reviewer sees, as callers reach it: every way a distillation ends, over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tarimba.app import all_routes
from tarimba.clock import DAY, SECOND
from tarimba.http.skin import make_app
from tarimba.kernel import Kernel
from tests.contract.conversations.talks import EMAIL, VISITOR, Talks, action, event, item
from tests.contract.distill.stage import later, with_model, work
from tests.contract.notes.world import World
from tests.fixtures.model_server import GOOD, model_server, note, raw

DISTILL = "/v1/agent-memory/distill"
CONVERSATION = {"conversation_id": "c-1"}


class Office(Talks):
    """Every URL, and a worker."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._app = make_app(world.kernel, all_routes())

    def worked(self, **fields: Any) -> None:
        """Two actions are recorded in the conversation."""
        self.sent(event("My invoice is wrong", **fields), action("invoice.void"), action("order.reopen"))

    def distil(self, who: str = "billing", **body: Any) -> httpx.Response:
        return self.ask("POST", DISTILL, who, json=body or CONVERSATION)

    def came_of(self, kernel: Kernel | None = None) -> dict[str, Any]:
        """Asks, has a worker work, and reads the proposal as its agent does."""
        asked = self.distil()
        assert asked.status_code == 201, asked.text
        assert asked.json()["status"] == "drafting"
        assert (asked.json()["title"], asked.json()["body"], asked.json()["kind"]) == ("", "", "")
        assert work(self.world, kernel)
        read = self.ask("GET", f"/v1/agent-memory/proposals/{asked.json()['proposal_id']}")
        assert read.status_code == 200, read.text
        found: dict[str, Any] = read.json()
        return found


@pytest.fixture
def office(world: World) -> Office:
    return Office(world)


@pytest.mark.promise("distill-problems")
def test_a_conversation_nobody_recorded_is_no_turns(office: Office) -> None:
    made = office.came_of()
    assert (made["status"], made["problem"], made["origin"]) == ("failed", "no_turns", "distilled")


@pytest.mark.promise("distill-problems")
def test_turns_of_long_ago_are_no_turns(office: Office) -> None:
    office.setting("conversations.retention_days", value=365)
    office.worked()
    later(office.world, 91 * DAY // SECOND)
    assert office.came_of()["problem"] == "no_turns"


@pytest.mark.promise("distill-problems")
def test_a_customer_known_by_hearsay_is_an_unconfirmed_link(office: Office) -> None:
    office.sent(event("Hello", conversation_id="c-0", handles=[EMAIL]))
    office.sent(item("identify", handles=[VISITOR, EMAIL], method="declared"))
    office.worked(handles=[VISITOR])
    assert office.came_of()["problem"] == "unconfirmed_link"


@pytest.mark.promise("distill-problems")
def test_talk_without_work_is_nothing_to_propose(office: Office) -> None:
    office.sent(event("Hello"), event("How may I help?", speaker={"role": "ai_agent"}))
    assert office.came_of()["problem"] == "nothing_to_propose"


@pytest.mark.promise("distill-problems")
def test_a_note_about_somebody_is_personal_data(office: Office) -> None:
    office.worked()
    with model_server(note(body="Run `invoice.void` for CPF 529.982.247-25.")) as server:
        made = office.came_of(with_model(office.world, server.url))
    assert (made["problem"], made["problem_kinds"], made["body"]) == ("personal_data", ["cpf"], "")


@pytest.mark.promise("distill-problems")
def test_a_model_that_refuses_is_unavailable(office: Office) -> None:
    office.worked()
    with model_server(raw(b"{}", "403 Forbidden")) as server:
        assert office.came_of(with_model(office.world, server.url))["problem"] == "model_unavailable"


@pytest.mark.promise("distill-to-note")
def test_what_a_person_approves_becomes_a_note_of_the_agent(office: Office) -> None:
    office.worked()
    with model_server(note()) as server:
        made = office.came_of(with_model(office.world, server.url))
    assert (made["status"], made["title"], made["evidence"]) == ("pending", GOOD["title"], CONVERSATION)
    approved = office.ask(
        "POST", f"/v1/agent-memory/proposals/{made['proposal_id']}/approve", "reviewer", json={}
    )
    assert approved.status_code == 200, approved.text
    kept = approved.json()
    assert (kept["origin"], kept["body"], kept["evidence"]) == ("distilled", GOOD["body"], CONVERSATION)
    assert kept["created_by"] == office.world.caller("reviewer").id


def test_what_was_masked_when_it_was_recorded_is_masked_for_the_model(office: Office) -> None:
    office.worked(content={"type": "text", "text": "Write to somebody@acme-corp.com.br"})
    with model_server(note()) as server:
        office.came_of(with_model(office.world, server.url))
        sent = server.server.requests[0]
    assert b"[email]" in sent
    assert b"somebody" not in sent


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"source_id": None},
        {"conversation_id": "a", "task_id": "b"},
        {"conversation_id": ""},
        {"conversation_id": 5},
        {"conversation_id": "x" * 513},
        {"conversation_id": "a", "note": "b"},
    ],
)
def test_a_body_names_one_conversation_or_one_task(office: Office, body: dict[str, Any]) -> None:
    answer = office.ask("POST", DISTILL, json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")


def test_asking_again_is_answered_as_the_first_time(office: Office) -> None:
    first = office.distil()
    second = office.distil("owner", source_id=office.world.sources["billing"], task_id=None, **CONVERSATION)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert first.headers["tarimba-receipt"] != second.headers["tarimba-receipt"]
