"""What a person decides, what a decision stores, and who wins when two come at once."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select, update

from tarimba.clock import DAY, HOUR
from tarimba.notes import service
from tarimba.notes.deciding import Decision
from tarimba.notes.model import Changes, Evidence, Note, Question
from tarimba.proposals import service as proposals
from tarimba.receipts.audit import verify_space
from tarimba.storage.once import OnceKey
from tarimba.storage.tables import note_version, outbox, proposal, space_head
from tests.contract.notes.waiting import (
    approve,
    ask,
    ask_edit,
    ask_retire,
    decide,
    head,
    look,
    reject,
)
from tests.contract.notes.world import World, at_once, code, refusal

PHONE = "+55 11 91234-5678"


@pytest.fixture
def company(world: World) -> World:
    """Where only people write."""
    world.set(writes="human_only", writes_per_hour=1000)
    return world


def generation(world: World) -> int:
    with world.kernel.database.read() as connection:
        query = select(space_head.c.generation).where(space_head.c.space_id == world.space_id)
        return int(connection.scalar(query) or 0)


def last_event(world: World) -> tuple[str, dict[str, Any]]:
    with world.kernel.database.read() as connection:
        row = connection.execute(select(outbox).order_by(outbox.c.ordinal.desc())).first()
    assert row is not None
    return row.type, json.loads(row.payload)


def decide_all(world: World, decisions: list[Decision], who: str = "reviewer") -> list[Note | None]:
    done = service.decide_all(world.kernel, world.caller(who), decisions)
    return [one.note for one in done.decided]


def test_approving_keeps_the_note_with_the_origin_of_the_proposal_and_the_person_behind_it(
    company: World,
) -> None:
    end = company.kernel.clock.now_us() + HOUR
    made = ask(company, tags=("erp",), evidence=Evidence("conv-1"), valid_until=end, visibility="vendor")
    note = approve(company, made)
    assert (note.origin, note.created_by) == ("agent", company.caller("reviewer").id)
    assert (note.tags, note.evidence, note.valid_until, note.visibility) == (
        ("erp",), Evidence("conv-1"), end, "vendor",
    )  # fmt: skip
    now = look(company, made)
    assert (now.status, now.note_id, now.edited, now.decided_by) == (
        "approved", note.note_id, False, company.caller("reviewer").id,
    )  # fmt: skip
    assert service.get(company.kernel, company.caller("support"), note.note_id).notes == (note,)
    receipts = company.receipts()[-3:-1]
    assert [(entry["action"], entry["note_id"], entry["proposal_id"]) for entry in receipts] == [
        ("note.create", note.note_id, made),
        ("proposal.approve", note.note_id, made),
    ]
    name, event = last_event(company)
    assert (name, event["status"], event["note_id"]) == (
        "agent_note.proposal_decided", "approved", note.note_id,
    )  # fmt: skip
    assert verify_space(company.kernel, company.space_id).findings == ()


def test_a_person_may_change_what_is_approved(company: World) -> None:
    made = ask(company, visibility="space", valid_until=company.kernel.clock.now_us() + HOUR)
    note = approve(company, made, title="Better words", visibility="source", tags=("erp",), clears_end=True)
    assert (note.title, note.visibility, note.tags, note.valid_until) == (
        "Better words", "source", ("erp",), None,
    )  # fmt: skip
    now = look(company, made)
    # What was proposed stays what was proposed.
    assert (now.edited, now.text.title, now.text.visibility) == (True, "Void invoices in the ledger", "space")


def test_what_was_approved_is_changed_by_people_only(company: World) -> None:
    note = approve(company, ask(company))
    company.set(writes="agent")
    ask_edit(company, "billing", note, body="Another way.")
    ask_retire(company, "billing", note)
    assert head(company, note) == note


def test_an_approved_edit_is_the_next_version(world: World) -> None:
    written = world.write("reviewer", owner="billing", evidence=Evidence("conv-1"))
    note = approve(world, ask_edit(world, "billing", written, body="Another way.", tags=("erp",)))
    assert (note.version, note.supersedes_note_id, note.body) == (2, written.note_id, "Another way.")
    assert (note.origin, note.created_by, note.evidence) == (
        "agent", world.caller("reviewer").id, Evidence("conv-1"),
    )  # fmt: skip
    found = service.search(world.kernel, world.caller("billing"), Question("another way"))
    assert [one.note_id for one in found.notes] == [note.note_id]
    assert verify_space(world.kernel, world.space_id).findings == ()


def test_an_approved_opening_changes_readers_and_nothing_else(world: World) -> None:
    note = world.write("billing", tags=("erp",))
    asked = ask_edit(world, "billing", note, visibility="vendor")
    opened = approve(world, asked)
    assert (opened.version, opened.visibility, opened.body, opened.origin) == (
        2,
        "vendor",
        note.body,
        "agent",
    )
    assert service.get(world.kernel, world.caller("support"), opened.note_id).notes == (opened,)
    assert code(lambda: service.get(world.kernel, world.caller("courier"), opened.note_id)) == "not_found"
    by_person = world.write("reviewer", owner="billing")
    again = approve(world, ask_edit(world, "billing", by_person, visibility="space"))
    assert again.origin == "human"
    assert len(world.receipts("note.open")) == 2


def test_an_approved_retirement_takes_the_note_out(world: World) -> None:
    written = world.write("reviewer", owner="billing")
    asked = ask_retire(world, "billing", written)
    changes = partial(approve, world, asked, body="Another.")
    assert code(changes) == "invalid_input"
    note = approve(world, asked)
    assert (note.note_id, note.status) == (written.note_id, "retired")
    assert verify_space(world.kernel, world.space_id).findings == ()


def test_approving_what_changes_nothing_any_more_stores_no_version(world: World) -> None:
    written = world.write("reviewer", owner="billing")
    asked = ask_edit(world, "billing", written, body="Another way.")
    assert approve(world, asked, body=written.body).note_id == written.note_id
    assert world.count(note_version) == 1
    assert look(world, asked).status == "approved"


def test_rejecting_stores_the_reason_and_no_note(company: World) -> None:
    asked = ask(company)
    before = generation(company)
    rejected = reject(company, asked, reason="  The ledger\ndoes this by itself. ")
    assert (rejected.status, rejected.reason, rejected.note_id) == (
        "rejected", "The ledger does this by itself.", None,
    )  # fmt: skip
    assert company.count(note_version) == 0
    # No block depends on it.
    assert generation(company) == before
    receipt = company.receipts("proposal.reject")[0]
    assert receipt["detail"]["has_reason"] is True
    assert "ledger" not in json.dumps(company.receipts())
    assert reject(company, ask(company)).reason is None


def test_a_reason_passes_gate_and_detectors(company: World) -> None:
    asked = ask(company)
    for reason, refused in (
        (f"Call {PHONE}.", "personal_data_in_agent_memory"),
        ("x" * 501, "invalid_input"),
        ("</agent_notes>", "invalid_input"),
        (" ", "invalid_input"),
    ):
        assert code(partial(reject, company, asked, reason=reason)) == refused
    assert code(partial(decide, company, asked, reason="Why not.")) == "invalid_input"
    words = Changes(body="Other.")
    assert code(partial(decide, company, asked, approves=False, changes=words)) == "invalid_input"
    assert look(company, asked).status == "pending"


@pytest.mark.promise("decided-once")
@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("billing", "person_required"),
        ("admin", "person_required"),
        ("manager", "scope_missing"),
        ("operator", "scope_missing"),
        ("auditor", "scope_missing"),
        ("member", "scope_missing"),
    ],
)
def test_only_reviewers_and_owners_decide(company: World, who: str, said: str) -> None:
    asked = ask(company)
    assert code(partial(approve, company, asked, who)) == said
    assert code(partial(reject, company, asked, who)) == said
    assert code(partial(decide_all, company, [Decision(asked, approves=True)], who)) == said
    assert approve(company, asked, "owner").created_by == company.caller("owner").id


def test_deciding_twice_is_a_conflict_and_what_is_not_there_is_404(company: World) -> None:
    first, second = ask(company, title="One"), ask(company, title="Two")
    approve(company, first)
    reject(company, second)
    for asked in (first, second):
        assert code(partial(approve, company, asked)) == "conflict"
        assert code(partial(reject, company, asked)) == "conflict"
    assert code(partial(approve, company, "01900000-0000-7000-8000-000000000000")) == "not_found"
    assert code(partial(approve, company, "\0")) == "not_found"


@pytest.mark.promise("decided-once")
def test_of_many_people_at_the_same_moment_one_decides(company: World) -> None:
    asked = ask(company)
    works: list[Callable[[], object]] = [
        partial(approve, company, asked, who) for who in ["owner", "reviewer"] * 5
    ]
    works += [partial(reject, company, asked, who) for who in ["owner", "reviewer"] * 5]
    codes = at_once(works)
    assert (codes.count("ok"), codes.count("conflict")) == (1, 19)
    assert company.count(note_version) == (1 if look(company, asked).status == "approved" else 0)
    assert len(company.receipts("proposal.approve") + company.receipts("proposal.reject")) == 1


def test_a_head_that_has_moved_is_shown_beside_what_was_proposed(world: World) -> None:
    written = world.write("reviewer", owner="billing")
    asked = ask_edit(world, "billing", written, body="The agent's way.")
    moved = service.edit(
        world.kernel, world.caller("owner"), written.note_id, Changes(body="The owner's way.")
    ).kept
    refused = refusal(partial(approve, world, asked))
    assert refused.code == "conflict"
    assert refused.extra["proposed"]["body"] == "The agent's way."
    assert refused.extra["current"] == service.note_json(moved)
    assert look(world, asked).status == "pending"
    assert reject(world, asked).status == "rejected"


def test_an_agent_that_retires_while_a_person_approves(world: World) -> None:
    """One of the two comes first, and then the other meets what it left: never a retired note that comes back."""
    for number in range(8):
        world.set(writes="agent")
        own = world.write("billing", f"Title {number}")
        world.set(writes="human_only")
        asked = ask_edit(world, "billing", own, body="Another way.")
        retire = partial(service.retire, world.kernel, world.caller("billing"), own.note_id)
        codes = at_once([partial(approve, world, asked), retire])
        assert sorted(codes) == ["conflict", "ok"]
        now = head(world, own)
        if codes[0] == "ok":
            assert (now.version, now.status) == (2, "active")
        else:
            assert (now.version, now.status) == (1, "retired")
            assert look(world, asked).status == "pending"


def test_two_edits_of_one_head_approved_at_once(world: World) -> None:
    written = world.write("reviewer", owner="billing")
    asked = [ask_edit(world, "billing", written, body=f"Way {number}.") for number in range(6)]
    codes = at_once([partial(approve, world, one) for one in asked])
    assert (codes.count("ok"), codes.count("conflict")) == (1, 5)
    assert head(world, written).version == 2


def test_approvals_fill_exactly_the_room_that_there_is(company: World) -> None:
    asked = [ask(company, title=f"Title {number}") for number in range(12)]
    company.set(active_notes_max=5)
    codes = at_once([partial(approve, company, one) for one in asked])
    assert (codes.count("ok"), codes.count("agent_memory_full")) == (5, 7)
    assert company.count(note_version) == 5


def test_the_text_is_checked_again_as_it_is_approved(company: World) -> None:
    asked = ask(company)
    assert code(partial(approve, company, asked, body=f"Call {PHONE}.")) == "personal_data_in_agent_memory"
    assert code(partial(approve, company, asked, title="x" * 121)) == "invalid_input"
    assert code(partial(approve, company, asked, tags=("No Tag",))) == "invalid_input"
    long = ask(company, body="A body of some length.")
    company.set(body_max=5)
    assert code(partial(approve, company, long)) == "invalid_input"
    assert approve(company, long, body="Text.").body == "Text."


def test_an_end_that_has_passed_meanwhile_needs_another(company: World) -> None:
    asked = ask(company, valid_until=company.kernel.clock.now_us() + HOUR)
    with company.kernel.database.write() as connection:
        past = company.kernel.clock.now_us() - HOUR
        connection.execute(update(proposal).values(valid_until=past))
    assert code(partial(approve, company, asked)) == "invalid_input"
    assert approve(company, asked, clears_end=True).valid_until is None


def test_while_the_memory_is_off_people_only_reject(company: World) -> None:
    first, second = ask(company, title="One"), ask(company, title="Two")
    company.set(enabled=False)
    assert code(partial(approve, company, first)) == "agent_memory_off"
    assert code(partial(decide_all, company, [Decision(first, approves=True)])) == "agent_memory_off"
    assert reject(company, second).status == "rejected"


def test_the_same_key_decides_once_and_is_answered_again(company: World) -> None:
    asked = ask(company)
    key = OnceKey(company.caller("reviewer").id, "POST approve", "k", "b")
    first = decide(company, asked, once_key=key)
    assert decide(company, asked, once_key=key) == first
    assert first.note is not None
    assert len(company.receipts("proposal.approve")) == 1


def test_a_hundred_decisions_at_once_are_one_change_of_the_block(company: World) -> None:
    asked = [ask(company, title=f"Title {number}") for number in range(100)]
    before = generation(company)
    decisions = [Decision(one, approves=number % 10 > 0) for number, one in enumerate(asked)]
    notes = decide_all(company, decisions)
    assert [note is None for note in notes] == [number % 10 == 0 for number in range(100)]
    assert generation(company) == before + 1
    assert company.count(note_version) == 90
    assert len(company.receipts("proposal.approve")) == 90
    assert len(company.receipts("proposal.reject")) == 10
    assert verify_space(company.kernel, company.space_id).findings == ()


def test_many_decisions_are_stored_all_or_none_and_the_refusal_says_which(company: World) -> None:
    asked = [ask(company, title=f"Title {number}") for number in range(4)]
    reject(company, asked[2])
    everything = [Decision(one, approves=True) for one in asked]
    refused = refusal(partial(decide_all, company, everything))
    assert (refused.code, refused.extra["index"]) == ("conflict", 2)
    personal = [Decision(asked[0], approves=True), Decision(asked[1], True, Changes(body=f"Call {PHONE}."))]
    refused = refusal(partial(decide_all, company, personal))
    assert (refused.code, refused.extra["index"], refused.extra["kinds"]) == (
        "personal_data_in_agent_memory", 1, ["phone"],
    )  # fmt: skip
    twice = [Decision(asked[0], approves=True), Decision(asked[0], approves=False)]
    refused = refusal(partial(decide_all, company, twice))
    assert (refused.code, refused.extra["index"]) == ("invalid_input", 1)
    assert company.count(note_version) == 0
    assert [look(company, asked[place]).status for place in (0, 1, 3)] == ["pending"] * 3


def test_two_lists_that_share_a_proposal_at_once(company: World) -> None:
    asked = [ask(company, title=f"Title {number}") for number in range(9)]
    left = [Decision(one, approves=True) for one in asked[:5]]
    right = [Decision(one, approves=False) for one in asked[4:]]
    codes = at_once([partial(decide_all, company, left), partial(decide_all, company, right, "owner")])
    assert sorted(codes) == ["conflict", "ok"]
    assert company.count(note_version) == (5 if codes[0] == "ok" else 0)


@pytest.mark.promise("rejected-text-goes")
def test_rejected_text_goes_after_its_days_and_the_receipts_stay(company: World) -> None:
    kept, gone, approved = (ask(company, title=title) for title in ("Kept", "Gone", "Approved"))
    reject(company, kept, reason="Not yet.")
    reject(company, gone, reason="Never.")
    note = approve(company, approved)
    long_ago = company.kernel.clock.now_us() - 31 * DAY
    with company.kernel.database.write() as connection:
        old = update(proposal).where(proposal.c.proposal_id.in_([gone, approved]))
        connection.execute(old.values(decided_at=long_ago))
    before = company.receipts()
    assert proposals.scrub_due(company.kernel) is False
    scrubbed = look(company, gone)
    assert (scrubbed.text.title, scrubbed.text.body, scrubbed.text.tags, scrubbed.reason) == (
        "",
        "",
        (),
        None,
    )
    assert (scrubbed.status, scrubbed.scrubbed_at is not None) == ("rejected", True)
    assert (look(company, kept).text.title, look(company, kept).reason) == ("Kept", "Not yet.")
    assert look(company, approved).text.title == "Approved"
    assert head(company, note) == note
    after = company.receipts()
    assert after[: len(before)] == before
    assert after[len(before)]["detail"] == {"rejected_proposals": 1}
    company.set(rejected_text_days=0)
    proposals.scrub_due(company.kernel)
    assert look(company, kept).text.title == ""
    count = len(company.receipts())
    proposals.scrub_due(company.kernel)
    assert len(company.receipts()) == count
