"""Forgetting: what goes, what stays to the byte, and one receipt."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Table

from tarimba.conversations import service
from tarimba.jobs.service import Worker
from tarimba.notes.model import Evidence
from tarimba.storage.tables import (
    context_pin,
    conversation,
    conversation_alias,
    forget_request,
    handle,
    id_surrogate,
    identity_link,
    known_customer,
    metadata,
    note_chain,
    note_version,
    profile,
    proposal,
    skill_draft,
    turn,
)
from tests.contract.conversations.talks import EMAIL, PHONE, WHATSAPP, Talks, event, item

pytestmark = pytest.mark.usefixtures("files_clean")

OTHER = {"type": "phone_e164", "value": "+5511987650000"}
STAYS = (note_chain, note_version, proposal, skill_draft)
NUMBER = "5511912345678"


def ask(talks: Talks, who: str = "owner", key: str | None = None, **body: Any) -> Any:
    headers = {"idempotency-key": key} if key else {}
    return talks.ask("POST", "/v1/forget", who, json=body, headers=headers)


def work(talks: Talks) -> None:
    worker = Worker(talks.world.kernel, {service.FORGET: service.erase})
    while worker.piece():
        pass


def fill(talks: Talks) -> None:
    """Two customers; one of them in two conversations, with proven handles and an id that is a telephone number."""
    talks.world.write("billing", evidence=Evidence(conversation_id=NUMBER, task_id="t-1"))
    talks.sent(
        event(
            "eins", handles=[WHATSAPP], conversation_id=NUMBER, task_id="t-1", conversation_aliases=["a-1"]
        ),
        event("zwei", speaker={"role": "ai_agent"}, conversation_id=NUMBER, task_id="t-1"),
        event("drei", handles=[EMAIL], conversation_id="c-2"),
        item("identify", handles=[WHATSAPP, EMAIL], method="otp"),
        item("identify", handles=[EMAIL, OTHER], method="declared"),
        event("bleibt", handles=[OTHER], conversation_id="c-3"),
    )
    # Another agent told of the same conversation.
    talks.sent(event("vier", handles=[PHONE], conversation_id="c-2"), who="courier")


def snapshot(talks: Talks, tables: tuple[Table, ...]) -> list[Any]:
    return [[tuple(row) for row in talks.rows(table)] for table in tables]


@pytest.mark.promise("forgotten-customers")
@pytest.mark.parametrize("by", ["handle", "other handle", "profile"])
@pytest.mark.parametrize("who", ["owner", "admin"])
def test_a_customer_goes_and_notes_stay_to_the_byte(talks: Talks, by: str, who: str) -> None:
    fill(talks)
    stays, receipts = snapshot(talks, STAYS), len(talks.world.receipts())
    (profile_id,) = {row.profile_id for row in talks.rows(handle) if row.type in ("whatsapp", "email")}
    bodies: dict[str, dict[str, Any]] = {
        "handle": {"target": "handle", "handle": PHONE},
        "other handle": {"target": "handle", "handle": EMAIL},
        "profile": {"target": "profile", "profile_id": profile_id},
    }
    answer = ask(talks, who, **bodies[by])
    assert answer.status_code == 202, answer.text
    assert answer.json()["status"] == "pending"
    # Who it was is forgotten at once.
    assert [row.type for row in talks.rows(handle)] == ["phone"]
    assert not talks.rows(known_customer)
    work(talks)
    assert [row.text for row in talks.rows(turn) if row.text] == ["bleibt"]
    assert [row.caller_id for row in talks.rows(conversation)] == ["c-3"]
    for table in (conversation_alias, id_surrogate, identity_link):
        assert not talks.rows(table)
    assert len(talks.rows(profile)) == 1
    assert snapshot(talks, STAYS) == stays
    (left,) = talks.world.receipts()[receipts:]
    assert (left["action"], left["request_id"]) == ("forget", answer.json()["request_id"])
    assert left["detail"] == {"target": bodies[by]["target"]}
    status = talks.ask("GET", f"/v1/forget/{left['request_id']}", who).json()
    assert status["status"] == "completed"
    assert status["completed_at"] >= status["requested_at"]
    assert NUMBER not in answer.text + str(status)


@pytest.mark.parametrize("form", ["id", "surrogate", "alias"])
def test_a_conversation_goes_by_its_id_its_surrogate_or_a_further_id(talks: Talks, form: str) -> None:
    fill(talks)
    receipts = len(talks.world.receipts())
    (row,) = [row for row in talks.rows(conversation) if row.caller_id.startswith("conv_")]
    named = {"id": NUMBER, "surrogate": row.caller_id, "alias": "a-1"}[form]
    answer = ask(talks, target="conversation", conversation_id=named)
    assert answer.json()["target_id"] == row.conversation_ref
    work(talks)
    assert sorted(str(one.text) for one in talks.rows(turn) if one.text) == ["bleibt", "drei", "vier"]
    assert row.caller_id not in {one.caller_id for one in talks.rows(conversation)}
    assert not talks.rows(conversation_alias)
    # The task of the same turns has an id that is no personal data.
    assert form == "alias" or not talks.rows(id_surrogate)
    # The telephone of either vendor, an address, another telephone.
    assert len(talks.rows(handle)) == 4
    assert len(talks.world.receipts()) == receipts + 1


@pytest.mark.parametrize("by", ["handle", "id", "alias"])
def test_what_a_context_held_goes_with_its_conversation(talks: Talks, by: str) -> None:
    fill(talks)
    for named in (NUMBER, "a-1", "c-3"):
        assert talks.ask("POST", "/v1/context", json={"conversation_id": named}).status_code == 200
    assert len(talks.rows(context_pin)) == 3
    targets: dict[str, dict[str, Any]] = {
        "handle": {"target": "handle", "handle": PHONE},
        "id": {"target": "conversation", "conversation_id": NUMBER},
        "alias": {"target": "conversation", "conversation_id": "a-1"},
    }
    ask(talks, **targets[by])
    work(talks)
    key = talks.world.kernel.keys.of(talks.world.space_id)
    assert [row.mac for row in talks.rows(context_pin)] == [key.commit("c-3")]


def test_every_agents_rows_of_a_conversation_go(talks: Talks) -> None:
    fill(talks)
    ask(talks, target="conversation", conversation_id="c-2")
    work(talks)
    assert sorted(str(one.text) for one in talks.rows(turn) if one.text) == ["bleibt", "eins", "zwei"]


@pytest.mark.parametrize(
    "body",
    [
        {"target": "handle", "handle": {"type": "email", "value": "nobody@example.com"}},
        {"target": "conversation", "conversation_id": "unknown"},
        {"target": "profile", "profile_id": "somebody@example.com"},
    ],
)
def test_who_is_not_known_is_forgotten_too_and_never_named(talks: Talks, body: dict[str, Any]) -> None:
    fill(talks)
    before = len(talks.rows(turn))
    answer = ask(talks, **body)
    assert (answer.status_code, answer.json()["target_id"]) == (202, answer.json()["request_id"])
    work(talks)
    assert "example.com" not in answer.text + repr(talks.rows(forget_request))
    assert len(talks.rows(turn)) == before


def test_a_known_customer_of_an_import_goes_with_the_handle(talks: Talks) -> None:
    from tarimba.personal_data.known_customers import Customer, add

    customer = Customer("Zuleide Quaresma", (("phone", "+5511912345678"),))
    add(talks.world.kernel, talks.world.caller("owner"), [customer])
    assert len(talks.rows(known_customer)) == 2
    ask(talks, target="handle", handle=PHONE)
    assert not talks.rows(known_customer)


def test_asking_again_with_the_key_answers_the_first(talks: Talks) -> None:
    fill(talks)
    body: dict[str, Any] = {"target": "handle", "handle": PHONE}
    first = ask(talks, key="k", **body)
    work(talks)
    again = ask(talks, key="k", **body)
    assert again.json()["request_id"] == first.json()["request_id"]
    assert again.json()["status"] == "completed"
    assert len(talks.rows(forget_request)) == 1


@pytest.mark.parametrize("who", ["billing", "manager", "reviewer", "auditor", "member"])
def test_only_the_owner_and_admin_keys_ask(talks: Talks, who: str) -> None:
    assert ask(talks, who, target="handle", handle=PHONE).status_code == 403
    assert talks.ask("GET", "/v1/forget/x", who).status_code == 403


def test_a_request_that_is_none_is_not_found(talks: Talks) -> None:
    assert talks.ask("GET", "/v1/forget/x", "owner").json()["code"] == "not_found"


@pytest.mark.parametrize(
    "body",
    [
        {"target": "handle"},
        {"target": "handle", "profile_id": "x"},
        {"target": "profile", "profile_id": "x", "conversation_id": "y"},
        {"target": "everything"},
        {"target": "conversation", "conversation_id": "Xyzzyplugh", "mood": "Xyzzyplugh"},
    ],
)
def test_a_request_names_one_target(talks: Talks, body: dict[str, Any]) -> None:
    answer = ask(talks, **body)
    assert answer.status_code == 422
    assert "Xyzzy" not in answer.text


def test_a_job_goes_on_in_parts_and_after_a_death(talks: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarimba.conversations.forget_store.PART", 2)
    talks.sent(*[event(f"turn {at}", handles=[WHATSAPP]) for at in range(9)])
    ask(talks, target="handle", handle=PHONE)
    kernel = talks.world.kernel
    commit, left = kernel.writer.commit, [3]

    def dying(space_id: str, part: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError
        return commit(space_id, part, **options)

    monkeypatch.setattr(kernel.writer, "commit", dying)
    worker = Worker(kernel, {service.FORGET: service.erase})
    assert worker.piece()
    assert 0 < len(talks.rows(turn)) < 9
    monkeypatch.setattr(kernel.writer, "commit", commit)
    kernel.clock.offset_us += 3600 * 1_000_000
    work(talks)
    assert not talks.rows(turn)
    assert [row.status for row in talks.rows(forget_request)] == ["completed"]


def test_nothing_of_a_forgotten_customer_is_left_in_any_table(talks: Talks) -> None:
    talks.sent(event("Xyzzyplugh", handles=[WHATSAPP], conversation_id="c-xyzzy", task_id="t-xyzzy"))
    macs = [row.mac for row in talks.rows(handle)]
    ask(talks, target="handle", handle=PHONE)
    work(talks)
    with talks.world.kernel.database.read() as connection:
        whole = repr([connection.execute(table.select()).all() for table in metadata.sorted_tables])
    for gone in ("Xyzzy", "xyzzy", *macs):
        assert gone not in whole
