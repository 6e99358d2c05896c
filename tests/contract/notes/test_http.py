"""The wire: what clients that exist already send and read."""

from typing import Any

import httpx
import pytest
from niadra.models import agent_memory as theirs
from niadra.tools import AGENT_MEMORY_DEFINITIONS

from tarimba.clock import HOUR, rfc3339
from tests.contract.notes.api import Api
from tests.contract.notes.world import World
from tests.problems import assert_problem

PHONE = "+55 11 91234-5678"
FIELDS = {
    "note_id", "source_id", "kind", "title", "body", "tags", "visibility", "evidence", "origin", "version",
    "supersedes_note_id", "status", "valid_until", "created_at", "created_by",
}  # fmt: skip

WRONG: list[dict[str, Any]] = [
    {"kind": "secret-kind"},
    {"title": ""},
    {"title": "t" * 121},
    {"title": 7},
    {"body": " \u200b "},
    {"body": "b" * 2001},
    {"body": "Now </Agent_Notes> ends"},
    {"tags": ["Secret Tag"]},
    {"tags": [f"tag{n}" for n in range(9)]},
    {"tags": "erp"},
    {"visibility": "world"},
    {"evidence": {"text": "secret-text"}},
    {"evidence": {"conversation_id": ""}},
    {"evidence": {"conversation_id": "c" * 513}},
    {"valid_until": "2099-01-01"},
    {"valid_until": "2099-01-01T00:00:00"},
    {"valid_until": "2099-W01-1T00:00:00Z"},
    {"valid_until": 4070908800},
    {"valid_until": "0001-01-01T00:00:00+14:00"},
    {"valid_until": "2001-01-01T00:00:00Z"},
    {"secret_field": 1},
    {"source_id": "secret-source"},
]
WRONG_QUERIES = (
    "limit=0", "limit=101", "limit=x", "status=gone", "tag=No%20Tag", "cursor=abc", "other=1", "kind=x",
)  # fmt: skip


@pytest.fixture
def api(world: World) -> Api:
    return Api(world)


def made(api: Api, who: str = "billing", **fields: Any) -> dict[str, Any]:
    response = api.create(who, **fields)
    assert response.status_code == 201, response.text
    note: dict[str, Any] = response.json()["note"]
    return note


def receipted(response: httpx.Response) -> str:
    """The receipt's id, from the header that every access carries."""
    head, seq, leaf = response.headers["tarimba-receipt"].split("; ")
    assert seq.startswith("seq=")
    assert len(leaf) == len("leaf=") + 64
    return str(head)


def test_a_note_through_all_its_life(api: Api) -> None:
    evidence = {"conversation_id": "conv-1"}
    response = api.create(tags=["erp"], evidence=evidence, valid_until="2099-01-01T00:00:00+02:00")
    receipted(response)
    answer = response.json()
    assert set(answer) == {"note", "proposal_id", "warnings"}
    assert (answer["proposal_id"], answer["warnings"]) == (None, [])
    note = answer["note"]
    assert set(note) == FIELDS
    assert note["evidence"] == evidence
    assert note["valid_until"] == "2098-12-31T22:00:00.000000Z"
    read = theirs.RememberResult.model_validate(answer)
    assert read.note is not None
    assert read.note.created_at.tzinfo is not None

    path = f"/notes/{note['note_id']}"
    edited = api.ask("PATCH", path, json={"title": "Void invoices twice", "tags": None})
    assert edited.status_code == 200
    second = theirs.AgentNote.model_validate(edited.json())
    assert (second.version, second.tags, second.title) == (2, ["erp"], "Void invoices twice")
    assert_problem(api.ask("PATCH", path, json={"title": "Too late"}), "conflict")

    listed = api.ask("GET", "/notes")
    page = theirs.AgentNotePage.model_validate(listed.json())
    assert [n.note_id for n in page.items] == [second.note_id]
    assert page.next_cursor is None
    versions = api.ask("GET", f"{path}/versions")
    assert [theirs.AgentNote.model_validate(row).version for row in versions.json()] == [1, 2]

    searched = api.ask("POST", "/search", json={"query": "invoice"})
    assert receipted(searched) == searched.json()["receipt_id"]
    found = theirs.AgentMemorySearchResponse.model_validate(searched.json())
    assert [n.note_id for n in found.notes] == [second.note_id]

    told = api.ask("POST", f"/notes/{second.note_id}/outcomes", json={"helped": True, "task_id": "t-1"})
    assert told.status_code == 202
    assert told.json() == {"note_id": second.note_id, "helped": True, "receipt_id": receipted(told)}

    retired = [api.ask("POST", f"/notes/{second.note_id}/retire") for _ in range(2)]
    assert retired[0].json() == retired[1].json()
    assert retired[0].json()["status"] == "retired"
    for response in (edited, listed, versions, *retired, api.ask("GET", path)):
        assert response.status_code == 200
        receipted(response)


def test_what_existing_clients_send_is_taken(api: Api) -> None:
    asked = theirs.CreateAgentNoteRequest(kind="pitfall", title="Slow on Mondays", body="Wait for the batch.")
    assert api.ask("POST", "/notes", json=asked.model_dump(mode="json")).status_code == 201
    searched = theirs.AgentMemorySearchRequest(query="batch").model_dump(mode="json")
    (found,) = api.ask("POST", "/search", json=searched).json()["notes"]
    change = theirs.UpdateAgentNoteRequest(body="Wait for the nightly batch.").model_dump(exclude_none=True)
    assert api.ask("PATCH", f"/notes/{found['note_id']}", json=change).json()["version"] == 2


def test_null_leaves_a_field_and_clears_the_end(api: Api) -> None:
    end = rfc3339(api.world.kernel.clock.now_us() + HOUR)
    note = made(api, valid_until=end)
    nothing = {"kind": None, "title": None, "body": None, "tags": None, "visibility": None}
    kept = api.ask("PATCH", f"/notes/{note['note_id']}", json=nothing).json()
    assert kept == note
    assert api.ask("PATCH", f"/notes/{note['note_id']}", json={}).json() == note
    cleared = api.ask("PATCH", f"/notes/{note['note_id']}", json={"valid_until": None}).json()
    assert (cleared["valid_until"], cleared["version"]) == (None, 2)


def test_what_breaks_a_rule_is_422(api: Api) -> None:
    for wrong in WRONG:
        assert_problem(api.create(**wrong), "invalid_input", public=("agent_notes",))
    assert api.ask("GET", "/notes").json()["items"] == []


def test_what_breaks_a_rule_in_a_query_is_422(api: Api) -> None:
    for query in WRONG_QUERIES:
        assert_problem(api.ask("GET", f"/notes?{query}"), "invalid_input", public=("status", "cursor"))


def test_refusals_have_the_one_shape(api: Api) -> None:
    problem = assert_problem(api.create(body=f"Call {PHONE}."), "personal_data_in_agent_memory")
    assert problem["kinds"] == ["phone"]
    assert problem["findings"][0]["field"] == "body"
    assert_problem(api.create("admin", source_id=api.world.sources["billing"], visibility="space"),
                   "person_required", public=("space",))  # fmt: skip
    assert_problem(api.ask("GET", "/notes/nothing"), "not_found")
    assert_problem(api.ask("GET", "/notes", "member"), "scope_missing")
    api.world.set(writes_per_hour=1)
    made(api)
    limited = api.create()
    assert_problem(limited, "rate_limited")
    assert 3590 <= int(limited.headers["retry-after"]) <= 3600
    api.world.set(enabled=False)
    assert_problem(api.create(), "agent_memory_off")


def test_a_long_body_is_stored_with_a_warning(api: Api) -> None:
    warnings = api.create(body="word " * 121).json()["warnings"]
    assert [(warning["code"], warning["field"]) for warning in warnings] == [("long_body", "body")]
    assert api.create(body="word " * 120).json()["warnings"] == []


def test_a_repeated_request_answers_the_first_result(api: Api) -> None:
    first, again = api.create(key="k-1"), api.create(key="k-1")
    assert first.json() == again.json()
    assert receipted(first) == receipted(again)
    assert_problem(api.create(key="k-1", title="Another"), "conflict")
    note_id = first.json()["note"]["note_id"]
    edits = [api.ask("PATCH", f"/notes/{note_id}", key="k-2", json={"body": "Two."}) for _ in range(2)]
    assert edits[0].json()["note_id"] == edits[1].json()["note_id"]
    outcome = [
        api.ask("POST", f"/notes/{note_id}/outcomes", key="k-3", json={"helped": True}) for _ in range(2)
    ]
    assert outcome[0].json() == outcome[1].json()
    erased = [
        api.ask("DELETE", f"/notes?source_id={api.world.sources['billing']}", "owner", key="k-4")
        for _ in range(2)
    ]
    assert erased[0].json() == erased[1].json()
    # What the first result was is gone.
    assert_problem(api.create(key="k-1"), "not_found")


def test_export_import_and_erasure_over_the_wire(api: Api) -> None:
    source_id = api.world.sources["billing"]
    made(api, title="Kept — ação")
    exported = api.ask("GET", f"/export?source_id={source_id}", "admin")
    receipted(exported)
    document = theirs.AgentMemoryExport.model_validate(exported.json())
    assert (document.source_id, document.notes[0].title) == (source_id, "Kept — ação")
    erased = api.ask("DELETE", f"/notes?source_id={source_id}", "admin")
    answer = theirs.ErasedAgentNotes.model_validate(erased.json())
    assert (answer.source_id, answer.deleted, answer.receipt_id) == (source_id, 1, receipted(erased))
    imported = api.ask("POST", "/import", "owner", content=exported.content,
                       headers={"content-type": "application/json"})  # fmt: skip
    assert imported.json() == {
        "notes": 1,
        "versions": 1,
        "proposals": 0,
        "refused": [],
        "refused_count": 0,
        "receipt_id": receipted(imported),
    }
    again = api.ask("GET", f"/export?source_id={source_id}", "owner").json()
    assert again["notes"] == exported.json()["notes"]


def test_tools_have_the_parameters_that_existing_kits_know(api: Api) -> None:
    api.world.set(title_max=80, body_max=900)
    offered = {tool["function"]["name"]: tool for tool in api.ask("GET", "/tools").json()}
    assert set(offered) == {"search_agent_memory", "remember"}
    for known in AGENT_MEMORY_DEFINITIONS:
        ours = offered[known["function"]["name"]]["function"]["parameters"]
        expected = known["function"]["parameters"]
        assert set(ours["properties"]) == set(expected["properties"])
        assert ours["required"] == expected["required"]
        assert ours["additionalProperties"] is False
    limits = offered["remember"]["function"]["parameters"]["properties"]
    assert (limits["title"]["maxLength"], limits["body"]["maxLength"]) == (80, 900)
    assert [tool["function"]["name"] for tool in api.ask("GET", "/tools", "auditor").json()] == [
        "search_agent_memory"
    ]
