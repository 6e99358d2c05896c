"""`remember()` and `search_agent_memory()`."""

from datetime import UTC, datetime

import httpx
import pytest

from tarimba.client import Evidence, Finding
from tarimba.client.errors import InvalidInputError, PersonalDataError, RateLimitedError
from tests.unit.client.scripted import NOTE, Script, block, problem

pytestmark = pytest.mark.usefixtures("kind")

STORED = httpx.Response(201, json={"note": NOTE, "proposal_id": None, "warnings": []})


def test_a_note_is_sent_as_it_was_given() -> None:
    script = Script(STORED)
    until = datetime(2027, 1, 1, tzinfo=UTC)
    evidence = Evidence(task_id="t1")
    with script.client() as client:
        result = client.remember(
            "tool_note",
            "A title",
            "A body.",
            tags=("x",),
            evidence=evidence,
            visibility="vendor",
            valid_until=until,
        )
    assert script.bodies == [
        {
            "kind": "tool_note",
            "title": "A title",
            "body": "A body.",
            "tags": ["x"],
            "evidence": {"task_id": "t1"},
            "visibility": "vendor",
            "valid_until": "2027-01-01T00:00:00+00:00",
        }
    ]
    assert script.headers("content-type") == ["application/json"]
    assert result
    assert result.note is not None
    assert (result.note.note_id, result.note.tags, result.error) == (NOTE["note_id"], ("post_credit",), None)


def test_what_was_not_given_is_not_sent() -> None:
    script = Script(STORED)
    with script.client() as client:
        client.remember("pitfall", "t", "b")
    assert script.bodies == [{"kind": "pitfall", "title": "t", "body": "b", "tags": []}]


def test_a_proposal_waits_and_warnings_are_passed_on() -> None:
    warning = {"code": "long_body", "field": "body", "detail": "Small notes help more."}
    script = Script(httpx.Response(201, json={"note": None, "proposal_id": "p1", "warnings": [warning]}))
    with script.client() as client:
        result = client.remember("pitfall", "t", "b", visibility="space")
    assert (bool(result), result.note, result.proposal_id) == (True, None, "p1")
    assert [(w.code, w.field) for w in result.warnings] == [("long_body", "body")]


def test_all_attempts_of_a_write_carry_one_idempotency_key_and_each_write_its_own() -> None:
    script = Script(problem(503, "unavailable"), httpx.ReadError("gone"), STORED)
    with script.client() as client:
        assert client.remember("pitfall", "t", "b")
        assert client.remember("pitfall", "t", "b")
    first, second, third, other = script.headers("idempotency-key")
    assert first is not None
    assert len(first) == 36
    assert first == second == third
    assert other != first


def test_a_write_makes_the_next_block_come_from_the_network() -> None:
    script = Script(block(), STORED, block("with the note", "am-2"))
    with script.client() as client:
        client.agent_memory()
        client.remember("pitfall", "t", "b")
        assert client.agent_memory().text == "with the note"


def test_a_write_whose_fate_is_unknown_drops_the_block_too() -> None:
    script = Script(block(), httpx.ReadTimeout("slow"), block("perhaps with the note", "am-2"))
    with script.client() as client:
        client.agent_memory()
        assert client.remember("pitfall", "t", "b").error == "timeout"
        assert client.agent_memory().text == "perhaps with the note"


def test_a_refused_note_says_which_kinds_to_remove_and_where() -> None:
    findings = [{"kind": "cpf", "field": "body", "start": 3, "end": 14}, {"kind": "of a later server"}]
    refusal = problem(422, "personal_data_in_agent_memory", kinds=["cpf"], findings=findings)
    script = Script(refusal)
    with script.client() as client:
        result = client.remember("pitfall", "t", "b")
    assert (bool(result), result.error, result.kinds) == (False, "personal_data_in_agent_memory", ("cpf",))
    assert result.findings == (Finding(kind="cpf", field="body", start=3, end=14),)
    with script.client(strict=True) as client, pytest.raises(PersonalDataError) as raised:
        client.remember("pitfall", "t", "b")
    assert raised.value.facts.kinds == ("cpf",)


def test_a_limited_agent_is_told_when_to_try_again_at_once() -> None:
    script = Script(problem(429, "rate_limited", retry_after="1800"))
    with script.client() as client:
        result = client.remember("pitfall", "t", "b")
    assert (result.error, result.retry_after) == ("rate_limited", 1800.0)
    assert (len(script.sent), script.pauses) == (1, [])
    with script.client(strict=True) as client, pytest.raises(RateLimitedError):
        client.remember("pitfall", "t", "b")


def test_a_moment_without_a_zone_is_refused_before_it_is_sent() -> None:
    script = Script(STORED)
    naive = datetime(2027, 1, 1)  # noqa: DTZ001 - it is what this test is about
    with script.client() as client:
        assert client.remember("pitfall", "t", "b", valid_until=naive).error == "invalid_input"
    with script.client(strict=True) as client, pytest.raises(InvalidInputError, match="valid_until"):
        client.remember("pitfall", "t", "b", valid_until=naive)
    assert not script.sent


def test_half_a_surrogate_pair_is_left_to_the_server_to_refuse() -> None:
    script = Script(problem(422, "invalid_input"))
    with script.client() as client:
        assert client.remember("pitfall", "t", "\ud800").error == "invalid_input"
    assert b"\\ud800" in script.sent[0].content


def test_a_search_finds_notes_best_first() -> None:
    second = dict(NOTE) | {"note_id": "n2", "kind": "of a later server", "unknown": 1}
    script = Script(httpx.Response(200, json={"notes": [NOTE, second], "receipt_id": "r9"}))
    with script.client() as client:
        found = client.search_agent_memory("credit in cents", tags="post_credit", limit=2, task_id="t1")
    assert script.bodies == [
        {"query": "credit in cents", "tags": ["post_credit"], "limit": 2, "task_id": "t1"}
    ]
    assert [note.note_id for note in found] == [NOTE["note_id"], "n2"]
    assert (found.error, found.receipt_id) == (None, "r9")
    assert found[0].created_at == datetime(2026, 1, 5, 10, tzinfo=UTC)


def test_a_failed_search_is_empty_and_says_why() -> None:
    script = Script(problem(503, "unavailable", retry_after="60"))
    with script.client() as client:
        found = client.search_agent_memory("q")
    assert (list(found), found.error) == ([], "unavailable")


def test_a_search_leaves_the_block_in_the_cache() -> None:
    script = Script(block(), httpx.Response(200, json={"notes": []}))
    with script.client() as client:
        client.agent_memory()
        assert client.search_agent_memory("q").error is None
        assert client.agent_memory().source == "cache"
