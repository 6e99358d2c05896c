"""Which writes of an agent wait for a person, and what they leave until somebody decides."""

import json
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from tarimba.notes import service
from tarimba.notes.model import Changes, Draft, Evidence
from tarimba.proposals import service as proposals
from tarimba.storage.once import OnceKey
from tarimba.storage.tables import id_surrogate, note_version, outbox, proposal
from tests.contract.notes.waiting import ask, ask_edit, ask_retire, head, look
from tests.contract.notes.world import World, at_once, code

PHONE = "+55 11 91234-5678"
pytestmark = pytest.mark.promise("person-decides")


def events(world: World) -> list[tuple[str, dict[str, Any]]]:
    with world.kernel.database.read() as connection:
        rows = connection.execute(select(outbox).order_by(outbox.c.ordinal))
        return [(row.type, json.loads(row.payload)) for row in rows]


@pytest.mark.parametrize("visibility", ["vendor", "space"])
def test_a_note_that_asks_to_be_open_is_kept_closed_and_the_opening_waits(
    world: World, visibility: str
) -> None:
    draft = Draft("procedure", "Void invoices", "Close first.", ("erp",), visibility)
    done = service.create(world.kernel, world.caller("billing"), draft)
    note = done.kept
    assert (done.status, note.visibility, note.origin) == (201, "source", "agent")
    assert done.proposal_id is not None
    waits = look(world, done.proposal_id)
    assert (waits.act, waits.edits_note_id, waits.status) == ("open", note.note_id, "pending")
    assert (waits.text.visibility, waits.text.title, waits.text.tags) == (visibility, note.title, note.tags)
    assert code(lambda: service.get(world.kernel, world.caller("support"), note.note_id)) == "not_found"
    assert [entry["action"] for entry in world.receipts()[-2:]] == ["note.create", "proposal.create"]


def test_where_only_people_write_an_agents_note_and_its_edits_wait(world: World) -> None:
    own = world.write("billing")
    world.set(writes="human_only")
    made = look(world, ask(world, title="Another", tags=("erp",), visibility="space"))
    assert (made.act, made.edits_note_id, made.note_id) == ("create", None, None)
    assert (made.text.title, made.text.tags, made.text.visibility) == ("Another", ("erp",), "space")
    edit = look(world, ask_edit(world, "billing", own, body="Another way."))
    assert (edit.act, edit.edits_note_id, edit.text.body) == ("edit", own.note_id, "Another way.")
    assert world.count(note_version) == 1
    assert head(world, own) == own
    # Taking back what is its own an agent always may, and a person writes as before.
    assert service.retire(world.kernel, world.caller("billing"), own.note_id).kept.status == "retired"
    assert world.write("reviewer", owner="billing").origin == "human"
    assert world.write("admin", owner="billing").origin == "human"


def test_what_a_person_wrote_or_opened_changes_and_ends_only_by_a_person(world: World) -> None:
    mine = world.write("billing", "Mine")
    written = world.write("reviewer", owner="billing")
    person = world.caller("reviewer")
    opened = service.edit(world.kernel, person, mine.note_id, Changes(visibility="vendor")).kept
    for note in (written, opened):
        edit = look(world, ask_edit(world, "billing", note, body="Another way."))
        assert (edit.act, edit.edits_note_id, edit.origin) == ("edit", note.note_id, "agent")
        retirement = look(world, ask_retire(world, "billing", note))
        assert (retirement.act, retirement.edits_note_id) == ("retire", note.note_id)
        assert retirement.text.body == note.body
        assert head(world, note) == note
    closing = look(world, ask_edit(world, "billing", opened, visibility="source"))
    assert (closing.act, closing.text.visibility) == ("edit", "source")


def test_an_agents_own_note_asks_to_be_opened_by_an_edit(world: World) -> None:
    own = world.write("billing")
    only = look(world, ask_edit(world, "billing", own, visibility="space"))
    assert (only.act, only.text.visibility, only.text.body) == ("open", "space", own.body)
    both = look(world, ask_edit(world, "billing", own, visibility="vendor", body="Another way."))
    assert (both.act, both.text.visibility, both.text.body) == ("edit", "vendor", "Another way.")
    assert head(world, own) == own


def test_a_change_of_nothing_asks_nobody(world: World) -> None:
    written = world.write("reviewer", owner="billing")
    same = service.edit(world.kernel, world.caller("billing"), written.note_id, Changes(body=written.body))
    assert (same.status, same.kept, same.proposal_id) == (200, written, None)
    assert world.count(proposal) == 0


def test_a_retirement_that_waits_already_is_the_answer_again(world: World) -> None:
    world.set(writes_per_hour=1)
    written = world.write("reviewer", owner="billing")
    assert ask_retire(world, "billing", written) == ask_retire(world, "billing", written)
    assert world.count(proposal) == 1
    assert [name for name, _ in events(world)] == ["agent_note.created", "agent_note.proposed"]


def test_nobody_else_may_ask(world: World) -> None:
    opened = world.write("reviewer", owner="billing", visibility="space")
    for who in ("support", "courier"):
        edit = partial(
            service.edit, world.kernel, world.caller(who), opened.note_id, Changes(body="Another way.")
        )
        assert code(edit) == "not_owner"
    by_key = world.write("admin", owner="billing")
    wider = Changes(visibility="space")
    asked = partial(service.edit, world.kernel, world.caller("admin"), by_key.note_id, wider)
    assert code(asked) == "person_required"
    assert world.count(proposal) == 0


def test_a_proposal_counts_as_a_write_and_so_do_the_refusals_before_it(world: World) -> None:
    world.set(writes="human_only", writes_per_hour=2)
    ask(world, title="One")
    ask(world, title="Two")
    assert code(lambda: ask(world, title="Three")) == "rate_limited"
    assert code(lambda: ask(world, "support", "Of another")) == "ok"
    world.set(refusals_per_hour=1)
    assert code(lambda: ask(world, "courier", f"Call {PHONE}")) == "personal_data_in_agent_memory"
    assert code(lambda: ask(world, "courier", f"Call {PHONE}")) == "rate_limited"
    assert code(lambda: ask(world, "courier")) == "rate_limited"
    assert world.count(proposal) == 3


def test_asking_to_retire_or_to_change_counts_too(world: World) -> None:
    world.set(writes_per_hour=1)
    written = world.write("reviewer", owner="billing")
    ask_edit(world, "billing", written, body="Another way.")
    retire = partial(service.retire, world.kernel, world.caller("billing"), written.note_id)
    assert code(retire) == "rate_limited"


def test_a_full_agent_can_not_ask_for_more(world: World) -> None:
    world.set(active_notes_max=1)
    world.write("billing")
    world.set(writes="human_only")
    assert code(lambda: ask(world)) == "agent_memory_full"


def test_forty_proposals_at_once_store_twenty(world: World) -> None:
    world.set(writes="human_only")
    codes = at_once([partial(ask, world, "billing", f"Title {number}") for number in range(40)])
    assert (codes.count("ok"), codes.count("rate_limited")) == (20, 20)
    assert world.count(proposal) == 20


def test_personal_data_is_refused_and_never_waits(world: World) -> None:
    written = world.write("reviewer", owner="billing")
    edit = partial(ask_edit, world, "billing", written, body=f"Call {PHONE}.")
    assert code(edit) == "personal_data_in_agent_memory"
    world.set(writes="human_only")
    assert code(lambda: ask(world, title=f"Call {PHONE}")) == "personal_data_in_agent_memory"
    assert world.count(proposal) == 0


def test_evidence_is_an_id_or_its_surrogate(world: World) -> None:
    world.set(writes="human_only")
    evidence = look(world, ask(world, evidence=Evidence(PHONE, "task-7"))).evidence
    assert evidence is not None
    assert evidence.task_id == "task-7"
    with world.kernel.database.read() as connection:
        surrogate = connection.scalar(select(id_surrogate.c.surrogate))
    assert evidence.conversation_id == surrogate
    committed = world.kernel.keys.of(world.space_id).commit(PHONE)
    assert world.receipts("proposal.create")[0]["detail"]["conversation"] == committed


def test_the_log_and_the_outbox_hold_ids_and_codes_only(world: World) -> None:
    world.set(writes="human_only")
    words = ("brecciated", "metagreywacke", "zzyzx")
    made = ask(world, title=words[0], body=words[1], tags=(words[2],), evidence=Evidence("conv-secret"))
    kept = json.dumps(world.receipts()) + json.dumps(events(world))
    assert [word for word in (*words, "conv-secret") if word in kept] == []
    ((name, event),) = events(world)
    assert (name, event["proposal_id"], event["status"]) == ("agent_note.proposed", made, "pending")
    assert event.keys() == {
        "proposal_id", "source_id", "act", "edits_note_id", "kind", "origin", "status", "note_id",
    }  # fmt: skip
    receipt = world.receipts("proposal.create")[0]
    assert (receipt["proposal_id"], receipt["source_id"]) == (made, world.sources["billing"])


def test_the_same_key_at_once_asks_once(world: World) -> None:
    world.set(writes="human_only")
    key = OnceKey(world.sources["billing"], "POST notes", "k", "b")
    draft = Draft("pitfall", "Once", "Text.")
    answers = []

    def write() -> None:
        done = service.create(world.kernel, world.caller("billing"), draft, once_key=key)
        assert done.receipt is not None
        answers.append((done.proposal_id, done.note, done.status, done.receipt.header))

    assert at_once([write] * 10) == ["ok"] * 10
    assert len(set(answers)) == 1
    assert world.count(proposal) == 1


def test_a_new_note_that_says_the_same_as_another_names_it(world: World) -> None:
    body = "Close the period first, then void each invoice of the month in the ledger."
    mine = world.write("billing", body=body)
    hidden = world.write("courier", body=body)
    world.set(writes="human_only")
    assert look(world, ask(world, body=body)).similar_note_ids == (mine.note_id,)
    folded = "Close the periods first, then void every invoice of the month in the LEDGER!"
    assert look(world, ask(world, body=folded)).similar_note_ids == (mine.note_id,)
    other = look(world, ask(world, title="Send reminders", body="Use the queue and wait for an answer."))
    assert other.similar_note_ids == ()
    assert hidden.note_id not in other.similar_note_ids


def test_nothing_is_asked_while_the_memory_is_off(world: World) -> None:
    written = world.write("reviewer", owner="billing")
    world.set(enabled=False, writes="human_only")
    assert code(lambda: ask(world)) == "agent_memory_off"
    assert code(lambda: ask_retire(world, "billing", written)) == "agent_memory_off"


def test_the_detectors_are_named_as_for_a_note(world: World) -> None:
    note = world.write("billing")
    world.set(writes="human_only")
    made = look(world, ask(world))
    with world.kernel.database.read() as connection:
        stamp = connection.scalar(
            select(note_version.c.detectors).where(note_version.c.note_id == note.note_id)
        )
        assert proposals.find(connection, world.space_id, "nothing") is None
    assert made.detectors == stamp
