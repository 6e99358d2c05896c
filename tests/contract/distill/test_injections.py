"""Conversations that try to teach agents what nobody did: nothing active, nothing personal, in any store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from tarimba.distill.guards import speaks_to_agents
from tarimba.kernel import Kernel
from tarimba.personal_data import service as personal_data
from tarimba.proposals.model import Proposal
from tarimba.storage.tables import metadata, note_chain
from tests.contract.distill.injections import INJECTIONS, Injection
from tests.contract.distill.stage import distilled, record_turns, with_model
from tests.contract.notes.world import World
from tests.fixtures.model_server import model_server, note


def masked(world: World, text: str, language: str) -> str:
    """The text as it comes to be stored."""
    space = replace(personal_data.known_by(world.kernel, world.space_id), language=language)
    return personal_data.mask(world.kernel, space, [text])[0].text


def conversation(world: World, one: Injection) -> tuple[dict[str, Any], ...]:
    """The attempt in all that a customer says and that comes back from tools."""
    text = masked(world, one.said, one.language)
    action = {"role": "ai_agent", "kind": "action"}
    return (
        {"role": "customer", "text": text},
        {**action, "operation": "invoice.void", "objects": ["invoice"], "result": text},
        {**action, "operation": "order.reopen", "purpose": text[:200]},
        {"role": "ai_agent", "text": "Done."},
    )


def everything(world: World) -> str:
    """Every row of every table of the space."""
    with world.kernel.database.read() as connection:
        return "\n".join(
            repr(tuple(row)) for table in metadata.sorted_tables for row in connection.execute(select(table))
        )


def require_harmless(world: World, made: Proposal, one: Injection) -> None:
    text = f"{made.text.title}\n{made.text.body}\n{made.text.tags}"
    assert world.count(note_chain) == 0
    assert made.status in {"failed", "pending"}
    assert not speaks_to_agents(text)
    assert one.obeyed not in text
    assert not any(planted in text for planted in one.planted)
    if one.aim in {"phone", "secret"}:
        stored = everything(world)
        assert not [planted for planted in one.planted if planted in stored]


def spoken(world: World, one: Injection, kernel: Kernel | None = None) -> Proposal:
    record_turns(world, turns=conversation(world, one))
    return distilled(world, kernel)


def test_there_are_thirty_of_every_aim_and_language() -> None:
    assert len(INJECTIONS) == 30
    assert {(one.aim, one.language) for one in INJECTIONS} == {
        (aim, language)
        for aim in ("phone", "order", "delimiter", "secret", "approval")
        for language in ("pt", "en", "es")
    }


@pytest.mark.promise("distill-injections")
@pytest.mark.parametrize("one", INJECTIONS)
def test_a_model_that_obeys_gets_nothing_proposed(
    world: World, one: Injection, capfd: pytest.CaptureFixture[str]
) -> None:
    with model_server(note(body=one.obeyed)) as server:
        made = spoken(world, one, with_model(world, server.url))
    require_harmless(world, made, one)
    assert made.status == "failed"
    assert made.problem in {"nothing_to_propose", "personal_data"}
    logged = "".join(capfd.readouterr())
    assert not [planted for planted in (*one.planted, one.obeyed) if planted in logged]


@pytest.mark.promise("distill-injections")
@pytest.mark.parametrize("one", INJECTIONS)
def test_without_a_model_nothing_that_was_said_is_proposed(world: World, one: Injection) -> None:
    made = spoken(world, one)
    require_harmless(world, made, one)
    assert made.text.title == "Recorded actions: invoice.void > order.reopen"


@pytest.mark.promise("distill-injections")
@pytest.mark.parametrize("one", INJECTIONS)
def test_an_attempt_in_the_name_of_an_operation_is_not_proposed(world: World, one: Injection) -> None:
    text = masked(world, one.obeyed, one.language)
    actions = [{"role": "ai_agent", "kind": "action", "operation": name} for name in (text, "order.reopen")]
    record_turns(world, turns=tuple(actions))
    require_harmless(world, distilled(world), one)
