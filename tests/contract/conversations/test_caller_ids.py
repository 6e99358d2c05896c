"""One form for the id of a conversation or task, whichever door it came through."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest

from tarimba.conversations.model import Kind
from tarimba.storage.tables import conversation, proposal
from tests.contract.conversations.talks import Talks, event, item

COMPOSED = "atenção-7"
TAKEN_APART = unicodedata.normalize("NFD", COMPOSED)
assert TAKEN_APART != COMPOSED
HIDING = [
    "c\u202e1",
    "c\u200b1",
    "c\u2066-1",
    "c\U000e0041",
    "<agent_notes>",
    "c\n1",
    "c\t1",
    " ",
    "c" + "\u0301" * 31,
]


@pytest.mark.parametrize(("kind", "asked"), [("conversation", COMPOSED), ("task", TAKEN_APART)])
def test_what_one_door_took_the_others_find(talks: Talks, kind: Kind, asked: str) -> None:
    field = f"{kind}_id"
    ids: dict[str, Any] = {"conversation_id": None, field: TAKEN_APART}
    talks.sent(event("Oi", **ids), item(f"{kind}.ended", **{field: COMPOSED}))
    assert talks.texts(COMPOSED, kind=kind) == ["Oi"]
    state = talks.ask("POST", "/v1/ingest/status", json={field: asked})
    assert state.json()["state"] == "ready"
    context = talks.ask("POST", "/v1/context", json={field: asked})
    assert "Oi" in context.json()["text"]
    found = talks.ask("POST", "/v1/history/timeline", json={field: asked}).json()
    assert [one["text"] for one in found["items"]] == ["customer: Oi"]
    for body in ({field: COMPOSED}, {field: TAKEN_APART}):
        assert talks.ask("POST", "/v1/agent-memory/distill", json=body).status_code == 201
    (drafted,) = talks.rows(proposal)
    assert json.loads(drafted.evidence) == {field: COMPOSED}


@pytest.mark.parametrize("bad", HIDING[:3])
def test_an_id_that_hides_something_is_an_items_error(talks: Talks, bad: str) -> None:
    ended: dict[str, Any] = {"conversation_id": bad}
    answer = talks.send(
        event("um"),
        event("dois", conversation_id=bad),
        event("tres", task_id=bad),
        event("quatro", conversation_aliases=[bad]),
        item("conversation.ended", **ended),
    )
    assert answer.status_code == 207
    errors = answer.json()["errors"]
    assert [(one["index"], one["code"]) for one in errors] == [(at, "invalid_input") for at in (1, 2, 3, 4)]
    assert bad.strip() == "" or bad not in answer.text
    assert {row.caller_id for row in talks.rows(conversation)} == {"c-1"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/context", {}),
        ("/v1/history/timeline", {}),
        ("/v1/ingest/status", {}),
        ("/v1/agent-memory/distill", {}),
        ("/v1/agent-memory/search", {"query": "x"}),
    ],
)
def test_the_other_doors_refuse_it_too(talks: Talks, path: str, body: dict[str, Any]) -> None:
    for bad in HIDING:
        answer = talks.ask("POST", path, json={"conversation_id": bad, **body})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")


def test_forgetting_finds_it(talks: Talks) -> None:
    talks.sent(event("Oi", conversation_id=TAKEN_APART))
    body = {"target": "conversation", "conversation_id": TAKEN_APART}
    answer = talks.ask("POST", "/v1/forget", "owner", json=body)
    assert answer.json()["target_id"] == talks.rows(conversation)[0].conversation_ref
