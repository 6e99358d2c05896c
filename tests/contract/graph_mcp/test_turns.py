"""From which conversation a fact came: told, known by the one open turn, or not known. Never guessed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select

from tarimba.clock import HOUR
from tarimba.graph import turns
from tarimba.storage.tables import open_turn
from tests.contract.graph_mcp.team import Team, calling, entity
from tests.problems import assert_problem

pytestmark = pytest.mark.promise("graph-provenance")


def sources(team: Team, name: str) -> Any:
    """The conversation of an entity and of each of its observations."""
    (found,) = team.call("get_entity_details", entityNames=[name])["entities"]
    return found.get("conversation"), [one.get("conversation") for one in found["sources"]]


def made(team: Team, name: str, **options: Any) -> Any:
    team.call("create_entities", entities=[entity(name, "A fact.")], **options)
    return sources(team, name)


def test_it_is_what_the_harness_tells_for_everything_that_a_call_makes(team: Team) -> None:
    assert made(team, "Ledger", told="talk 1") == ("talk 1", ["talk 1"])
    added = [{"entityName": "Ledger", "contents": ["Another fact."]}]
    team.call("add_observations", told="conversa nº 2", observations=added)
    relation = {"from": "Ledger", "to": "Bank", "relationType": "posts to"}
    team.call("create_relations", told="talk 3", relations=[relation])
    assert sources(team, "Ledger") == ("talk 1", ["talk 1", "conversa nº 2"])
    (shown,) = team.call("get_entity_details", entityNames=["Ledger"])["relations"]
    assert shown["conversation"] == "talk 3"


def test_it_is_that_of_the_one_open_turn_and_of_none_or_two_nothing(team: Team) -> None:
    assert made(team, "No turn") == (None, [None])
    assert team.turn("start", conversation_id="c-1").status_code == 200
    assert made(team, "One turn") == ("c-1", ["c-1"])
    assert made(team, "Told", told="c-9") == ("c-9", ["c-9"])
    # A turn that is told of again is the same one.
    team.turn("start", conversation_id="c-1")
    assert made(team, "One turn still") == ("c-1", ["c-1"])
    team.turn("start", conversation_id="c-2", turn_id="t-1")
    assert made(team, "Two turns") == (None, [None])
    assert team.turn("end", conversation_id="c-1").json() == {"ended": 1}
    assert made(team, "The other turn") == ("c-2", ["c-2"])
    assert team.turn("end", conversation_id="c-2", turn_id="t-2").json() == {"ended": 0}
    assert team.turn("end", conversation_id="c-2", turn_id="t-1").json() == {"ended": 1}
    assert made(team, "No turn any more") == (None, [None])


def test_two_turns_of_one_conversation_are_two(team: Team) -> None:
    for turn_id in ("t-1", "t-2"):
        team.turn("start", conversation_id="c-1", turn_id=turn_id)
    assert made(team, "Two turns") == (None, [None])
    # Without a turn's id every turn of the conversation is over.
    assert team.turn("end", conversation_id="c-1").json() == {"ended": 2}


def test_the_turns_of_another_workspace_tell_nothing(team: Team) -> None:
    team.turn("start", team.token("auditor"), conversation_id="theirs")
    team.turn("start", team.token(agent="courier"), conversation_id="the other agent's")
    assert made(team, "Ledger") == (None, [None])


def test_reading_does_not_ask_for_turns(team: Team) -> None:
    team.call("read_graph", told="c-1")
    assert team.call("read_graph")["entities"] == []


@pytest.mark.parametrize("told", ["", "a\tb", "x" * 513, b"\xff", b"\xe2\x80\x8b"])
def test_a_header_that_is_none_is_refused_and_not_repeated(team: Team, told: str | bytes) -> None:
    sent: Any = told
    response = team.post(
        team.token(), calling("create_entities", entities=[entity("Ledger")]), x_tarimba_conversation=sent
    )
    problem = assert_problem(response, "invalid_input")
    assert "X-Tarimba-Conversation" in problem["detail"]
    assert team.call("read_graph")["entities"] == []


def test_two_headers_are_none(team: Team) -> None:
    headers = [("authorization", f"Bearer {team.token()}"), *[("x-tarimba-conversation", "c")] * 2]
    answer = team.api.http.post("/v1/mcp", json=calling("read_graph"), headers=headers)
    assert_problem(answer, "invalid_input")


@pytest.fixture
def later(team: Team) -> Callable[[int], Any]:
    """The kernel so many microseconds later."""

    def moved(by: int) -> Any:
        kernel = team.api.kernel
        return replace(kernel, clock=type(kernel.clock)(kernel.clock.now_us() - _now() + by))

    return moved


def _now() -> int:
    from tarimba.clock import Clock

    return Clock().now_us()


def test_a_turn_that_nobody_ends_is_forgotten_after_an_hour(team: Team, later: Callable[[int], Any]) -> None:
    team.turn("start", conversation_id="c-1")
    of = open_turn.c.subscription_id == team.subscription_id

    def count() -> int:
        with team.api.kernel.database.read() as connection:
            return int(connection.scalar(select(func.count()).select_from(open_turn).where(of)) or 0)

    turns.forget_turns(later(0))
    assert count() == 1
    turns.forget_turns(later(HOUR + 1_000_000))
    assert count() == 0


def test_a_workspace_has_a_bounded_number_of_open_turns(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "OPEN_MAX", 2)
    answers = [team.turn("start", conversation_id=f"c-{at}") for at in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 409]
    assert team.turn("start", conversation_id="c-1").status_code == 200
