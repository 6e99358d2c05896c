"""A proposal that a worker writes: from the draft to what waits, or to what came to nothing."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from tarimba.notes.model import Evidence
from tarimba.proposals import service as proposals
from tarimba.proposals.model import Proposal, Text
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tests.contract.notes.test_proposing import events
from tests.contract.notes.waiting import approve, decide, look, reject
from tests.contract.notes.world import World, code

T = TypeVar("T")
TEXT = Text("procedure", "Void invoices", "Close the period first.", ("erp",))


def act(world: World, work: Callable[[Tx], T]) -> T:
    """Does something to a proposal as a worker does it, with its receipt."""

    def run(tx: Tx) -> T:
        done = work(tx)
        record(tx, Receipt("distill.finish", Actor("system", "worker"), "worker"))
        return done

    return world.kernel.writer.commit(world.space_id, run)


def drafted(world: World, mac: str = "mac") -> str:
    def work(tx: Tx) -> Proposal:
        return proposals.propose(
            tx,
            source_id=world.sources["billing"],
            act="create",
            text=Text(),
            evidence=None,
            origin="distilled",
            created_by=world.caller("reviewer").id,
            detectors="",
            status="drafting",
            about_mac=mac,
        )

    return act(world, work).proposal_id


def settle(tx: Tx, proposal_id: str) -> Proposal:
    return proposals.settle_draft(
        tx, proposal_id, TEXT, evidence=Evidence("conv-1"), detectors="2", similar=["a", "b"]
    )


def fail(tx: Tx, proposal_id: str) -> Proposal:
    return proposals.fail_draft(tx, proposal_id, "personal_data", ("name", "phone"))


def test_a_draft_is_empty_until_it_is_settled_and_then_waits(world: World) -> None:
    made = drafted(world)
    assert (look(world, made).status, look(world, made).text) == ("drafting", Text())
    assert events(world) == []
    assert code(partial(approve, world, made)) == code(partial(reject, world, made)) == "conflict"
    act(world, partial(settle, proposal_id=made))
    now = look(world, made)
    assert (now.status, now.text, now.evidence) == ("pending", TEXT, Evidence("conv-1"))
    assert (now.similar_note_ids, now.detectors) == (("a", "b"), "2")
    assert [name for name, _ in events(world)] == ["agent_note.proposed"]
    note = approve(world, made)
    assert (note.origin, note.evidence, note.created_by) == (
        "distilled", Evidence("conv-1"), world.caller("reviewer").id,
    )  # fmt: skip


def test_a_draft_that_fails_keeps_why_and_no_text(world: World) -> None:
    made = drafted(world)
    act(world, partial(fail, proposal_id=made))
    now = look(world, made)
    assert (now.status, now.problem, now.problem_kinds) == ("failed", "personal_data", ("name", "phone"))
    assert now.text == Text()
    ((name, event),) = events(world)
    assert (name, event["problem"]) == ("agent_note.proposal_failed", "personal_data")
    assert code(partial(decide, world, made)) == "conflict"


def test_a_draft_is_finished_once(world: World) -> None:
    for first, second in ((settle, fail), (fail, settle), (settle, settle)):
        made = drafted(world)
        act(world, partial(first, proposal_id=made))
        assert code(partial(act, world, partial(second, proposal_id=made))) == "conflict"
    assert code(partial(act, world, partial(settle, proposal_id="nothing"))) == "not_found"


def test_what_is_open_about_a_conversation_is_found_for_its_agent_only(world: World) -> None:
    made = drafted(world)

    def found(mac: str, agent: str) -> str | None:
        with world.kernel.database.read() as connection:
            one = proposals.open_about(connection, world.space_id, mac, world.sources[agent])
        return one.proposal_id if one else None

    assert (found("mac", "billing"), found("mac", "support"), found("other", "billing")) == (made, None, None)
    act(world, partial(settle, proposal_id=made))
    assert found("mac", "billing") == made
    reject(world, made)
    assert found("mac", "billing") is None


def test_an_erased_agents_proposals_are_gone_at_once_and_deleted_in_parts(world: World) -> None:
    made = [drafted(world, f"mac {number}") for number in range(5)]
    source_id = world.sources["billing"]
    other = world.sources["support"]

    def mark(tx: Tx) -> int:
        counted = proposals.count_of(tx, source_id)
        proposals.mark_erased(tx, source_id)
        return counted

    assert act(world, mark) == 5
    assert code(partial(act, world, partial(settle, proposal_id=made[0]))) == "not_found"
    assert act(world, lambda tx: proposals.delete_of(tx, other, 10)) == 0
    assert [act(world, lambda tx: proposals.delete_of(tx, source_id, 2)) for _ in range(4)] == [2, 2, 1, 0]
