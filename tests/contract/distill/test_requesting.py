"""Who may ask for a distillation, what is answered, and what it costs."""

from __future__ import annotations

import pytest

from tarimba.distill import service
from tarimba.distill.model import About
from tarimba.storage.once import OnceKey
from tarimba.storage.tables import id_surrogate, job, proposal
from tests.contract.distill.stage import ask, distilled, later, now, record_turns, work
from tests.contract.notes.world import World, at_once, code, refusal


@pytest.mark.parametrize("who", ["owner", "reviewer", "admin"])
def test_people_and_the_admin_key_ask_for_any_agent(world: World, who: str) -> None:
    asked = ask(world, who, source="courier")
    assert (asked.status, asked.source_id, asked.text.title) == ("drafting", world.sources["courier"], "")
    assert asked.created_by == world.caller(who).id


def test_an_agent_asks_for_itself_only(world: World) -> None:
    assert ask(world).source_id == world.sources["billing"]
    assert ask(world, name="conv-2", source="billing").source_id == world.sources["billing"]
    assert code(lambda: ask(world, name="conv-3", source="support")) == "scope_missing"


@pytest.mark.parametrize("who", ["manager", "operator", "auditor", "member", "reader"])
def test_others_may_not(world: World, who: str) -> None:
    world.add_key("reader", "billing", "agent_memory context track")
    assert code(lambda: ask(world, who, source="billing")) == "scope_missing"


def test_an_agent_must_be_named_and_be_there(world: World) -> None:
    world.sources["nobody"] = "01900000-0000-7000-8000-000000000000"
    world.sources["odd"] = "not an id"
    assert code(lambda: ask(world, "owner")) == "invalid_input"
    assert code(lambda: ask(world, "owner", source="nobody")) == "not_found"
    assert code(lambda: ask(world, "owner", source="odd")) == "not_found"


@pytest.mark.parametrize("name", ["a\x00b", "a\u202eb", "<agent_notes>"])
def test_an_id_passes_the_gate(world: World, name: str) -> None:
    assert code(lambda: ask(world, name=name)) == "invalid_input"


def test_while_the_memory_is_off_nobody_asks(world: World) -> None:
    world.set(enabled=False)
    assert code(lambda: ask(world)) == "agent_memory_off"
    assert code(lambda: ask(world, "owner", source="billing")) == "agent_memory_off"


def test_a_space_where_only_people_write_may_distil(world: World) -> None:
    world.set(writes="human_only")
    record_turns(world)
    assert distilled(world).status == "pending"


@pytest.mark.promise("distill-once")
def test_asking_again_answers_the_one_that_is_open(world: World) -> None:
    record_turns(world)
    asked = ask(world)
    assert ask(world).proposal_id == asked.proposal_id
    assert ask(world, "owner", source="billing").proposal_id == asked.proposal_id
    assert work(world)
    assert ask(world) == now(world, asked)
    assert world.count(job) == 0
    # Another agent, another conversation, a task of the same id: each its own.
    others = [ask(world, "support"), ask(world, name="conv-2"), ask(world, kind="task")]
    assert len({asked.proposal_id, *(one.proposal_id for one in others)}) == 4
    again = [receipt["detail"]["again"] for receipt in world.receipts("distill.request")]
    assert again == [False, True, True, True, False, False, False]


def test_two_that_ask_at_once_get_one(world: World) -> None:
    asked: list[str] = []
    works = [lambda: asked.append(ask(world).proposal_id) for _ in range(8)]
    assert at_once(works) == ["ok"] * 8
    assert len(set(asked)) == 1
    assert (world.count(proposal), world.count(job)) == (1, 1)


def test_after_a_failure_it_can_be_asked_again(world: World) -> None:
    first = distilled(world)
    assert first.problem == "no_turns"
    record_turns(world)
    second = distilled(world)
    assert second.status == "pending"
    assert second.proposal_id != first.proposal_id


def test_an_agents_requests_count_as_writes(world: World) -> None:
    world.set(writes_per_hour=2)
    ask(world, name="a")
    world.write("billing")
    refused = refusal(lambda: ask(world, name="b"))
    assert (refused.code, refused.retry_after) == ("rate_limited", 3600)
    # Asking for the open one makes nothing; people have no cap.
    ask(world, name="a")
    ask(world, "owner", "b", source="billing")
    later(world, 3600)
    ask(world, name="c")


def test_the_same_key_asks_once_and_is_answered_the_same(world: World) -> None:
    key = OnceKey.of(world.kernel.keys.of(world.space_id), "billing", "/distill", "k-1", b"{}")
    about = About("conversation", "conv-1")
    first = service.distill(world.kernel, world.caller("billing"), about, once_key=key)
    second = service.distill(world.kernel, world.caller("billing"), about, once_key=key)
    assert first == second
    assert len(world.receipts("distill.request")) == 1


def test_an_id_that_is_personal_data_is_kept_as_its_surrogate(world: World) -> None:
    name = "whatsapp:+5511955501234"
    record_turns(world, name)
    asked = ask(world, name=name)
    assert asked.evidence is not None
    surrogate = asked.evidence.conversation_id
    assert surrogate is not None
    assert surrogate.startswith("conv_")
    assert world.count(id_surrogate) == 1
    assert ask(world, name=surrogate).proposal_id == asked.proposal_id
    (receipt, *_) = world.receipts("distill.request")
    assert receipt["detail"]["conversation"] == world.kernel.keys.of(world.space_id).commit(name)
