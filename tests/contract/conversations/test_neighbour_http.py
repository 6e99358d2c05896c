"""The URLs of the context and the history, over what the URL of batches records."""

from __future__ import annotations

from typing import Any

import pytest

from tarimba.clock import SECOND, rfc3339
from tests.contract.conversations.talks import EMAIL, PHONE, WHATSAPP, Talks, action, event, item
from tests.contract.notes.world import World
from tests.problems import assert_problem

# Everything that a client of the wire may send beside what is used.
MORE: dict[str, Any] = {
    "about": {
        "type": "org_registry_hmac",
        "value": "11222333000181",
        "scope": "BR",
        "subject_kind": "account",
    },
    "object": {"type": "invoice", "namespace": "erp", "id": "0823"},
    "view": "voice",
    "query": "the invoice",
    "delta": True,
    "target": {"provider": "openai", "model": "gpt-4.1"},
    "known_etag": "W/other",
    "format": "json",
    "explain": True,
    "include": [],
}
FILTERS: dict[str, Any] = {
    "since": "2020-01-01",
    "until": "2999-01-01T00:00:00",
    "when": "semana passada",
    "channels": ["whatsapp"],
    "categories": ["billing"],
    "item_kinds": ["episode", "fact", "open_item", "action", "object", "trait", "system_event"],
    "item_statuses": ["open"],
    "outcome": "resolved",
    "object": MORE["object"],
    "show_expired": False,
    "where": {"AND": [{"kind": "episode"}]},
}
IGNORED = ["categories", "item_statuses", "object", "outcome", "when", "where"]


def ask(talks: Talks, path: str, **body: Any) -> dict[str, Any]:
    answer = talks.ask("POST", f"/v1/{path}", json=body)
    assert answer.is_success, answer.text
    content: dict[str, Any] = answer.json()
    return content


def test_every_field_of_a_client_is_taken(talks: Talks) -> None:
    talks.sent(event("Where is my invoice?", handles=[PHONE]))
    asked: dict[str, Any] = {"subject": PHONE, "conversation_id": "c-1", "verification": "V3"}
    context = ask(talks, "context", **asked, **MORE)
    assert context.keys() == {"text", "version", "etag", "verification", "path"}
    assert context["verification"] == {"requested": "V3", "effective": "V0"}
    again = ask(talks, "context", **asked, known_etag=context["etag"])
    assert again.keys() == {"not_modified", "version", "etag", "verification", "path"}
    unused = {name: MORE[name] for name in ("about", "object", "view", "query")}
    answer = talks.ask("POST", "/v1/context/prefetch", json=asked | unused)
    assert (answer.status_code, answer.json()) == (202, {})
    asked["about"] = MORE["about"]
    search = ask(
        talks, "history/search", **asked, query="invoice", max_tokens=800, limit=100, filters=FILTERS
    )
    assert [found["text"] for found in search["items"]] == ["customer: Where is my invoice?"]
    assert search["ignored"] == IGNORED
    timeline = ask(talks, "history/timeline", **asked, limit=100, filters=FILTERS | {"show_expired": True})
    assert [found.keys() for found in timeline["items"]] == [{"id", "kind", "text", "at"}]
    assert "next_cursor" not in timeline
    opened = ask(talks, "history/open", **asked, item_id=timeline["items"][0]["id"])
    assert opened.keys() == {"id", "kind", "summary"}
    assert ask(talks, "subject-tokens", **asked).keys() == {"token", "expires_at"}
    assert ask(talks, "ingest/status", conversation_id="c-1") == {"state": "open"}


def test_one_person_is_one_customer_however_they_are_written(talks: Talks) -> None:
    talks.sent(event("By phone", handles=[PHONE]), event("By WhatsApp", handles=[WHATSAPP]))
    written = {"type": "wa_jid", "value": "5511912345678@s.whatsapp.net"}
    for subject in (PHONE, WHATSAPP, written):
        items = ask(talks, "history/timeline", subject=subject)["items"]
        assert [found["text"] for found in items] == ["customer: By WhatsApp", "customer: By phone"]


def test_a_proof_opens_the_customers_context_and_its_end_takes_a_new_one(talks: Talks) -> None:
    talks.sent(event("Earlier", handles=[PHONE], conversation_id="c-0"), event("Here", handles=[PHONE]))
    asked: dict[str, Any] = {"subject": PHONE, "conversation_id": "c-1", "verification": "V2"}
    assert "Earlier" not in ask(talks, "context", **asked)["text"]
    talks.sent(item("verify", method="otp_sms", level="V2", handle=PHONE, conversation_id="c-1"))
    proven = ask(talks, "context", **asked)
    assert (proven["verification"]["effective"], "Earlier" in proven["text"]) == ("V2", True)
    talks.sent(action("invoice.send", handles=[PHONE]))
    assert ask(talks, "context", **asked)["text"] == proven["text"]
    talks.sent(item("conversation.ended", conversation_id="c-1"))
    assert "invoice.send" in ask(talks, "context", **asked)["text"]
    assert ask(talks, "ingest/status", conversation_id="c-1") == {"state": "ready"}


def test_a_claim_opens_nothing_and_a_proof_of_it_does(talks: Talks) -> None:
    talks.sent(event("As a mailbox", handles=[EMAIL], conversation_id="c-0"), event("Here", handles=[PHONE]))
    talks.sent(item("verify", method="otp_sms", level="V2", handle=PHONE, conversation_id="c-1"))
    asked: dict[str, Any] = {"subject": PHONE, "conversation_id": "c-1", "verification": "V2"}
    talks.sent(item("identify", handles=[PHONE, EMAIL], method="declared", conversation_id="c-1"))
    claimed = ask(talks, "context", **asked)
    assert (claimed["verification"]["effective"], "mailbox" in claimed["text"]) == ("V0", False)
    items = ask(talks, "history/timeline", subject=PHONE)["items"]
    assert [found["text"] for found in items] == ["customer: Here"]
    talks.sent(item("identify", handles=[PHONE, EMAIL], method="otp", conversation_id="c-1"))
    assert "mailbox" in ask(talks, "context", **asked)["text"]
    items = ask(talks, "history/timeline", subject=EMAIL)["items"]
    assert [found["text"] for found in items] == ["customer: Here", "customer: As a mailbox"]


def test_what_was_forgotten_is_in_no_history(talks: Talks) -> None:
    talks.sent(event("Quokka", handles=[PHONE]))
    token = ask(talks, "subject-tokens", subject=PHONE)["token"]
    handle = {"type": PHONE["type"], "value": PHONE["value"]}
    answer = talks.ask("POST", "/v1/forget", "owner", json={"target": "handle", "handle": handle})
    assert answer.status_code == 202, answer.text
    for about in ({"subject": PHONE}, {"subject_token": token}):
        assert ask(talks, "history/timeline", **about)["items"] == []


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("context", {"subject": {"type": "email"}}, "subject.value: is required"),
        ("context", {"subject": PHONE, "odd": 1}, "1 unknown field"),
        ("context", {"view": ""}, "view: must have at least 1 characters"),
        ("context", {"view": "x" * 129}, "view: must have at most 128 characters"),
        (
            "context",
            {"verification": "V9"},
            "verification: must be one of 'V0', 'V1', 'V2', 'V3', 'V4' or 'no_customer'",
        ),
        (
            "context",
            {"conversation_id": "a", "task_id": "b"},
            "task_id: must not come with a `conversation_id`",
        ),
        ("history/search", {"subject": PHONE}, "query: is required"),
        ("history/search", {"subject": PHONE, "query": ""}, "query: must have at least 1 characters"),
        ("history/search", {"query": "x", "max_tokens": 49}, "max_tokens: must be at least 50"),
        ("history/search", {"query": "x", "filters": {"since": "soon"}}, "filters.since: must be a moment"),
        ("history/timeline", {"limit": 101}, "limit: must be at most 100"),
        ("history/timeline", {"cursor": "x"}, "cursor: must be the `next_cursor` of this very list"),
        ("history/open", {}, "item_id: is required"),
        ("subject-tokens", {}, "subject: is required"),
        ("ingest/status", {}, "conversation_id: or `task_id` is required"),
    ],
)
def test_a_broken_rule_is_named(talks: Talks, path: str, body: dict[str, Any], detail: str) -> None:
    answer = talks.ask("POST", f"/v1/{path}", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"].startswith(detail)


@pytest.mark.parametrize("token", ["x", "tar_st_", "tar_st_AAAA", "tar_st_" + "A" * 900])
def test_a_token_that_is_none_tells_nothing(talks: Talks, token: str) -> None:
    for path, body in (("context", {}), ("history/timeline", {}), ("history/open", {"item_id": "x"})):
        answer = talks.ask("POST", f"/v1/{path}", json={"subject_token": token, **body})
        assert_problem(answer, "not_found")


def test_a_part_that_is_not_served_is_not_found(talks: Talks) -> None:
    for include in (["state"], ["constraints", "budget"], ["agent_memory", "coordination"], ["odd"]):
        answer = talks.ask("POST", "/v1/context", json={"subject": PHONE, "include": include})
        assert_problem(answer, "not_found")
    assert ask(talks, "context", subject=PHONE, include=["agent_memory"], view="task:x")["text"] == ""


def test_the_tools_are_those_that_the_key_may_use(world: World, talks: Talks) -> None:
    world.add_key("customers only", "billing", "context")
    world.add_key("notes only", "billing", "agent_memory")
    history = ["search_customer_history", "get_customer_timeline", "open_history_item"]
    offered = {
        ("billing", "?agent_memory=true"): [*history, "search_agent_memory", "remember"],
        ("billing", ""): history,
        ("customers only", "?agent_memory=true"): [*history, "search_agent_memory"],
        ("notes only", "?agent_memory=true"): ["search_agent_memory"],
        ("notes only", "?agent_memory=false"): [],
    }
    for (who, query), names in offered.items():
        answer = talks.ask("GET", f"/v1/history/tools{query}", who)
        assert [tool["function"]["name"] for tool in answer.json()] == names
        for tool in answer.json():
            assert "subject" not in str(tool["function"]["parameters"])
    assert talks.ask("GET", "/v1/history/tools?agent_memory=maybe").status_code == 422


def test_times_are_those_of_the_turns(talks: Talks) -> None:
    at = rfc3339(1_600_000_000 * SECOND)
    talks.sent(event("Old", handles=[PHONE], occurred_at=at))
    (found,) = ask(talks, "history/timeline", subject=PHONE)["items"]
    assert found["at"] == at
