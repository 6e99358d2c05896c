"""What a reviewer sees with a proposal, who reads proposals at all, and how they are listed."""

from functools import partial
from typing import Any

import pytest

from tarimba.notes import service
from tarimba.notes.model import Changes
from tarimba.notes.reviewing import Review
from tarimba.proposals import service as proposals
from tarimba.proposals.model import ProposalFilter, ProposalsRead
from tests.contract.notes.api import Api
from tests.contract.notes.waiting import approve, ask, ask_edit, ask_retire, reject
from tests.contract.notes.world import World, code


@pytest.fixture
def company(world: World) -> World:
    """Where only people write."""
    world.set(writes="human_only", writes_per_hour=1000)
    return world


def review(world: World, proposal_id: str, who: str = "reviewer") -> Review:
    read = service.read_proposal(world.kernel, world.caller(who), proposal_id)
    assert read.review is not None
    return read.review


def listed(
    world: World, who: str, cursor: str | None = None, limit: int = 20, **wanted: Any
) -> ProposalsRead:
    only = ProposalFilter(**wanted)
    return proposals.list_proposals(world.kernel, world.caller(who), only, cursor=cursor, limit=limit)


def test_a_reviewer_sees_notes_that_say_the_same(world: World) -> None:
    body = "Close the period first, then void each invoice of the month in the ledger."
    same = world.write("support", body=body)
    opened = service.edit(
        world.kernel, world.caller("owner"), same.note_id, Changes(visibility="vendor")
    ).kept
    world.write("billing", "Send reminders", body="Use the queue and wait for an answer.")
    world.set(writes="human_only")
    asked = ask(world, body=body)
    assert review(world, asked).similar == (opened,)
    # It is looked up for each look: the note is gone meanwhile.
    service.retire(world.kernel, world.caller("owner"), opened.note_id)
    assert review(world, asked).similar == ()


def test_a_reviewer_sees_what_tells_the_opposite_about_the_same_tool(world: World) -> None:
    against = world.write(
        "billing", "Refunds", body="Always retry the refund in the gateway.", tags=("gateway",)
    )
    named = world.write("billing", "The call", body="Send `post_credit` with cents to the ledger.")
    world.write("billing", "Elsewhere", body="Always retry the refund in the gateway.", tags=("shop",))
    hidden = world.write(
        "courier", "Refunds", body="Always retry the refund in the gateway.", tags=("gateway",)
    )
    world.set(writes="human_only")
    asked = ask(world, title="Failures", body="Never retry a refund in the gateway.", tags=("gateway",))
    assert review(world, asked).contradictions == (against,)
    assert hidden not in review(world, asked).contradictions
    other = ask(world, title="Cents", body="Do not send cents with post_credit to the ledger.")
    assert review(world, other).contradictions == (named,)


def test_a_reviewer_sees_what_becomes_of_the_block(company: World) -> None:
    first = approve(company, ask(company, title="First", body="word " * 20))
    asked = ask(company, title="Second", body="word " * 20)
    block = review(company, asked).block
    assert (block.fits, block.max_tokens, block.gained, block.lost) == (True, 300, (), ())
    assert 0 < block.tokens_before < block.tokens_after <= 300
    company.set(block_tokens_default=60)
    crowded = review(company, asked).block
    assert (crowded.fits, crowded.tokens_before) == (False, crowded.tokens_after)
    # An edit makes a note the most revised, so it comes first and may push another out.
    second = approve(company, asked)
    edit = review(company, ask_edit(company, "billing", second, body="word " * 21)).block
    assert (edit.fits, edit.gained, edit.lost) == (True, (), (first.note_id,))
    gone = review(company, ask_retire(company, "billing", first)).block
    assert (gone.fits, gone.gained, gone.lost) == (False, (second.note_id,), ())


@pytest.mark.parametrize(("visibility", "readers"), [("source", 1), ("vendor", 2), ("space", 3)])
def test_a_reviewer_sees_how_many_agents_read_it(company: World, visibility: str, readers: int) -> None:
    assert review(company, ask(company, visibility=visibility)).readers == readers


def test_the_receipt_of_a_review_names_the_notes_that_were_shown(world: World) -> None:
    note = world.write("billing")
    world.set(writes="human_only")
    asked = ask(world)
    service.read_proposal(world.kernel, world.caller("reviewer"), asked)
    receipt = world.receipts("proposal.read")[-1]
    assert (receipt["proposal_id"], receipt["detail"]["notes"]) == (asked, [note.note_id])


def test_only_people_get_a_review_and_only_while_there_is_something_to_decide(company: World) -> None:
    asked = ask(company)
    for who in ("billing", "admin"):
        assert service.read_proposal(company.kernel, company.caller(who), asked).review is None
    assert service.read_proposal(company.kernel, company.caller("auditor"), asked).review is not None
    reject(company, asked)
    assert service.read_proposal(company.kernel, company.caller("reviewer"), asked).review is None


def test_an_agent_sees_its_own_proposals_and_people_by_their_roles(company: World) -> None:
    asked = ask(company)
    read = partial(service.read_proposal, company.kernel)
    for who in ("billing", "admin", "owner", "reviewer", "auditor"):
        assert read(company.caller(who), asked).proposal.proposal_id == asked
        assert [one.proposal_id for one in listed(company, who).proposals] == [asked]
    for who in ("support", "courier"):
        assert code(partial(read, company.caller(who), asked)) == "not_found"
        assert listed(company, who).proposals == ()
        assert listed(company, who, source_id=company.sources["billing"]).proposals == ()
    for who in ("manager", "operator", "member"):
        assert code(partial(read, company.caller(who), asked)) == "scope_missing"
        assert code(partial(listed, company, who)) == "scope_missing"
    company.add_key("reader", "billing", "agent_memory context track")
    assert code(lambda: listed(company, "reader")) == "scope_missing"
    assert code(lambda: read(company.caller("owner"), "\0")) == "not_found"


def test_a_list_has_pages_newest_first_and_filters(company: World) -> None:
    asked = [ask(company, who, f"Title {n}") for n in range(4) for who in ("billing", "support")]
    reject(company, asked[0])
    newest = list(reversed(asked))
    seen, cursor = [], None
    while True:
        page = listed(company, "reviewer", cursor, limit=3)
        seen += [one.proposal_id for one in page.proposals]
        cursor = page.next_cursor
        if cursor is None:
            break
        # What comes meanwhile does not disturb the pages.
        ask(company, "courier", f"Meanwhile {len(seen)}")
    assert seen == newest
    mine = listed(company, "reviewer", source_id=company.sources["billing"], status="pending")
    assert [one.proposal_id for one in mine.proposals] == [one for one in newest[1::2] if one != asked[0]]
    assert listed(company, "reviewer", source_id="odd").proposals == ()
    first = listed(company, "reviewer", limit=1).next_cursor
    assert code(lambda: listed(company, "owner", first)) == "invalid_input"
    assert code(lambda: listed(company, "reviewer", first, status="pending")) == "invalid_input"


def test_while_the_memory_is_off_an_agent_is_given_nothing(company: World) -> None:
    asked = ask(company)
    company.set(enabled=False)
    assert listed(company, "billing").proposals == ()
    caller = company.caller("billing")
    assert code(lambda: service.read_proposal(company.kernel, caller, asked)) == "not_found"
    assert [one.proposal_id for one in listed(company, "reviewer").proposals] == [asked]


def test_over_http_a_proposal_goes_from_the_agent_to_the_note(company: World) -> None:
    api = Api(company)
    made = api.create(tags=["erp"]).json()
    assert (made["note"], made["warnings"]) == (None, [])
    path = f"/proposals/{made['proposal_id']}"
    own = api.ask("GET", path).json()
    assert "review" not in own
    assert (own["act"], own["status"], own["tags"], own["problem_kinds"]) == (
        "create",
        "pending",
        ["erp"],
        [],
    )
    seen = api.ask("GET", path, "reviewer").json()
    assert seen["review"]["readers"] == 1
    assert {name: seen[name] for name in own} == own
    assert api.ask("POST", f"{path}/approve", json={}).json()["code"] == "person_required"
    note = api.ask("POST", f"{path}/approve", "reviewer", json={"valid_until": None, "tags": []}).json()
    assert (note["status"], note["tags"], note["origin"]) == ("active", [], "agent")
    assert api.ask("GET", path).json()["note_id"] == note["note_id"]
    again = api.ask("POST", f"{path}/approve", "reviewer")
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    asked = api.ask("PATCH", f"/notes/{note['note_id']}", json={"body": "Another way."})
    assert (asked.status_code, asked.json()["note"]) == (202, None)
    moved = api.ask("PATCH", f"/notes/{note['note_id']}", "owner", json={"body": "The owner's way."}).json()
    late = api.ask("POST", f"/proposals/{asked.json()['proposal_id']}/approve", "reviewer")
    assert late.status_code == 409
    assert (late.json()["proposed"]["body"], late.json()["current"]) == ("Another way.", moved)
    listing = api.ask("GET", "/proposals?status=pending&limit=1", "reviewer").json()
    assert [one["proposal_id"] for one in listing["items"]] == [asked.json()["proposal_id"]]
    rejected = api.ask(
        "POST", f"/proposals/{asked.json()['proposal_id']}/reject", "reviewer", json={"reason": "No."}
    )
    assert (rejected.json()["status"], rejected.json()["reason"]) == ("rejected", "No.")


def test_over_http_many_are_decided_at_once(company: World) -> None:
    api = Api(company)
    asked = [api.create(title=f"Title {number}").json()["proposal_id"] for number in range(3)]
    decisions: list[dict[str, Any]] = [
        {"proposal_id": asked[0], "decision": "approve"},
        {"proposal_id": asked[1], "decision": "approve", "changes": {"title": "Better", "valid_until": None}},
        {"proposal_id": asked[2], "decision": "reject", "reason": "Known."},
    ]
    decide = partial(api.ask, "POST", "/proposals/decide", "reviewer")
    done = decide(json={"decisions": decisions}).json()["items"]
    assert [one["proposal"]["status"] for one in done] == ["approved", "approved", "rejected"]
    assert [one["note"] and one["note"]["title"] for one in done] == ["Title 0", "Better", None]
    again = decide(json={"decisions": decisions}).json()
    assert (again["code"], again["index"]) == ("conflict", 0)
    for wrong in ([], decisions * 34, [{"proposal_id": asked[0], "decision": "maybe"}], [{"odd": 1}]):
        assert decide(json={"decisions": wrong}).status_code == 422
