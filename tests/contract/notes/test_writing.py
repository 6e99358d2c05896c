"""What a write stores, answers, announces and leaves in the log."""

import json
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from tarimba.clock import HOUR, SECOND
from tarimba.notes import service
from tarimba.notes.model import Changes, Draft, Evidence, Note, Outcome
from tarimba.storage.once import OnceKey
from tarimba.storage.tables import id_surrogate, note_outcome, note_version, outbox
from tests.contract.notes.world import World, at_once, code, refusal

PHONE = "+55 11 91234-5678"


def edit(world: World, who: str, note: Note, **changes: Any) -> Note:
    return service.edit(world.kernel, world.caller(who), note.note_id, Changes(**changes)).kept


def events(world: World) -> list[tuple[str, dict[str, Any]]]:
    with world.kernel.database.read() as connection:
        rows = connection.execute(select(outbox).order_by(outbox.c.ordinal))
        return [(row.type, json.loads(row.payload)) for row in rows]


def test_a_note_is_stored_as_it_was_written_and_folded(world: World) -> None:
    end = world.kernel.clock.now_us() + HOUR
    note = world.write(
        "billing",
        "Ac\u0327a\u0303o   no\tERP ",
        kind="tool_note",
        body="First line.\r\nSecond line.",
        tags=("erp", "invoice", "erp"),
        valid_until=end,
        evidence=Evidence(task_id="task-7"),
    )
    assert (note.title, note.body) == ("Aç\u00e3o no ERP", "First line.\nSecond line.")
    assert (note.tags, note.evidence, note.valid_until) == (("erp", "invoice"), Evidence(None, "task-7"), end)
    assert (note.version, note.status, note.origin, note.visibility) == (1, "active", "agent", "source")
    assert (note.source_id, note.created_by) == (world.sources["billing"],) * 2
    assert service.get(world.kernel, world.caller("owner"), note.note_id).notes == (note,)


def test_every_edit_is_a_new_version_under_a_new_id(world: World) -> None:
    first = world.write("billing", tags=("erp",), evidence=Evidence("conv-1"))
    second = edit(world, "billing", first, title="Another title", tags=())
    assert second.note_id != first.note_id
    assert (second.version, second.supersedes_note_id) == (2, first.note_id)
    assert (second.title, second.body, second.tags) == ("Another title", first.body, ())
    assert second.evidence == first.evidence
    old = service.get(world.kernel, world.caller("billing"), first.note_id).notes[0]
    assert (old.title, old.status) == (first.title, "retired")
    assert code(lambda: edit(world, "billing", first, body="Too late.")) == "conflict"
    assert code(lambda: service.retire(world.kernel, world.caller("billing"), first.note_id)) == "conflict"


def test_of_twenty_edits_of_one_head_at_once_one_wins(world: World) -> None:
    note = world.write("billing")
    codes = at_once([partial(edit, world, "billing", note, body=f"Text {n}.") for n in range(20)])
    assert (codes.count("ok"), codes.count("conflict")) == (1, 19)


def test_an_edit_that_changes_nothing_stores_nothing_and_says_so_in_the_log(world: World) -> None:
    note = world.write("billing", tags=("erp",))
    same = edit(world, "billing", note, title=f" {note.title} ", tags=("erp", "erp"))
    assert same == note
    assert world.count(note_version) == 1
    assert world.receipts("note.edit")[-1]["detail"]["changed"] == []
    assert [name for name, _ in events(world)] == ["agent_note.created"]


def test_an_end_is_set_kept_and_cleared(world: World) -> None:
    soon = world.kernel.clock.now_us() + HOUR
    note = world.write("billing", valid_until=soon)
    kept = edit(world, "billing", note, body="Another.")
    assert kept.valid_until == soon
    assert edit(world, "billing", kept, clears_end=True).valid_until is None
    past = world.kernel.clock.now_us() - SECOND
    assert code(lambda: world.write("billing", valid_until=past)) == "invalid_input"


def test_retiring_again_answers_the_same(world: World) -> None:
    note = world.write("billing")
    answers = [service.retire(world.kernel, world.caller("billing"), note.note_id) for _ in range(2)]
    assert answers[0].kept == answers[1].kept
    assert answers[0].kept.status == "retired"
    assert code(lambda: edit(world, "billing", note, body="Another.")) == "conflict"
    assert [name for name, _ in events(world)] == ["agent_note.created", "agent_note.retired"]


def test_a_person_writes_for_an_agent_and_opens_and_a_key_does_not_open(world: World) -> None:
    by_person = world.write("reviewer", owner="billing", visibility="space")
    assert (by_person.origin, by_person.visibility) == ("human", "space")
    assert by_person.created_by == world.caller("reviewer").id
    by_key = world.write("admin", owner="billing")
    assert (by_key.origin, by_key.created_by) == ("human", world.caller("admin").key_id)
    assert code(lambda: world.write("admin", owner="billing", visibility="vendor")) == "person_required"
    assert code(lambda: edit(world, "admin", by_key, visibility="vendor")) == "person_required"
    # Its words may change under a key, and a key may close it.
    again = edit(world, "admin", by_person, body="Another.")
    assert again.visibility == "space"
    assert edit(world, "admin", again, visibility="source").visibility == "source"


def test_a_person_behind_a_version_makes_it_the_persons(world: World) -> None:
    note = edit(world, "reviewer", world.write("billing"), body="Corrected by a person.")
    assert (note.origin, note.created_by) == ("human", world.caller("reviewer").id)
    changes = Changes(body="Back again.")
    assert service.edit(world.kernel, world.caller("billing"), note.note_id, changes).note is None


def test_source_id_is_for_people_and_admin_keys_who_must_give_it(world: World) -> None:
    assert code(lambda: world.write("billing", owner="billing")) == "invalid_input"
    assert code(lambda: world.write("reviewer")) == "invalid_input"
    assert code(lambda: world.write("admin")) == "invalid_input"
    world.sources["unknown"] = "01900000-0000-7000-8000-000000000000"
    world.sources["odd"] = "\0"
    assert code(lambda: world.write("reviewer", owner="unknown")) == "not_found"
    assert code(lambda: world.write("reviewer", owner="odd")) == "not_found"


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"title": f"Call {PHONE}"}, ("title", 5)),
        ({"body": f"Text.\r\nCall {PHONE}"}, ("body", 11)),
        ({"tags": ("erp", "5511912345678")}, ("tags[1]", 0)),
    ],
)
def test_personal_data_is_refused_by_kind_and_place_and_never_repeated(
    world: World, fields: dict[str, Any], where: tuple[str, int]
) -> None:
    refused = refusal(lambda: world.write("billing", **fields))
    assert refused.code == "personal_data_in_agent_memory"
    assert refused.extra["kinds"] == ["phone"]
    found = refused.extra["findings"][0]
    assert set(found) == {"kind", "field", "start", "end"}
    assert (found["field"], found["start"]) == where
    assert "91234" not in refused.detail + json.dumps(refused.extra)
    assert world.receipts()[-1]["action"] == "settings.change"


def test_an_edit_is_checked_as_a_whole(world: World) -> None:
    note = world.write("billing", "Call +55 11")
    refused = refusal(lambda: edit(world, "billing", note, body="91234-5678 is the number."))
    assert refused.code == "personal_data_in_agent_memory"


def test_a_flagged_id_gets_one_surrogate_everywhere(world: World) -> None:
    first = world.write("billing", evidence=Evidence(PHONE, "task-7")).evidence
    second = world.write("support", evidence=Evidence(PHONE)).evidence
    third = world.write("billing", evidence=Evidence(task_id=PHONE)).evidence
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.task_id == "task-7"
    assert first.conversation_id == second.conversation_id
    assert first.conversation_id is not None
    assert first.conversation_id.startswith("conv_")
    # One id is one thing, whatever it is called by who sends it.
    assert third.task_id == first.conversation_id
    committed = world.kernel.keys.of(world.space_id).commit(PHONE)
    created = world.receipts("note.create")
    assert created[0]["detail"]["conversation"] == created[1]["detail"]["conversation"] == committed
    with world.kernel.database.read() as connection:
        rows = connection.execute(select(id_surrogate.c.mac, id_surrogate.c.surrogate)).all()
    assert rows == [(committed, first.conversation_id)]


def test_the_log_and_the_outbox_hold_ids_and_codes_only(world: World) -> None:
    words = ("brecciated", "metagreywacke", "zzyzx")
    note = world.write("billing", words[0], body=words[1], tags=(words[2],), evidence=Evidence("conv-secret"))
    note = edit(world, "billing", note, title=words[1])
    service.retire(world.kernel, world.caller("billing"), note.note_id)
    kept = json.dumps(world.receipts()) + json.dumps(events(world))
    assert [word for word in (*words, "conv-secret") if word in kept] == []
    names = [entry["action"] for entry in world.receipts()]
    assert names == ["settings.change", "note.create", "note.edit", "note.retire"]
    assert [name for name, _ in events(world)] == [
        "agent_note.created",
        "agent_note.updated",
        "agent_note.retired",
    ]
    assert set(events(world)[0][1]) == {"note_id", "source_id", "kind", "origin", "version", "status"}


def test_a_receipt_binds_the_text(world: World) -> None:
    note = world.write("billing")
    query = select(note_version.c.salt, note_version.c.content_hash, note_version.c.seq_from)
    with world.kernel.database.read() as connection:
        salt, stored, seq_from = connection.execute(query).one()
    assert stored == service.content_hash(service.note_json(note), salt)
    created = world.receipts("note.create")[0]
    assert (created["detail"]["content_hash"], created["note_id"]) == (stored, note.note_id)
    assert world.receipts()[seq_from] == created
    service.retire(world.kernel, world.caller("billing"), note.note_id)
    retired = world.receipts("note.retire")[0]
    with world.kernel.database.read() as connection:
        seq_to = connection.scalar(select(note_version.c.seq_to))
    assert seq_to is not None
    assert world.receipts()[seq_to] == retired


def test_the_same_key_at_once_stores_one_note(world: World) -> None:
    draft = Draft("pitfall", "Once", "Text.")
    key = OnceKey(world.sources["billing"], "POST notes", "k", "b")
    answers: list[tuple[str, int, str]] = []

    def write() -> None:
        done = service.create(world.kernel, world.caller("billing"), draft, once_key=key)
        assert done.receipt is not None
        answers.append((done.kept.note_id, done.status, done.receipt.header))

    assert at_once([write] * 10) == ["ok"] * 10
    assert len(set(answers)) == 1
    assert world.count(note_version) == 1
    assert len(world.receipts("note.create")) == 1
    other = OnceKey(key.actor, key.route, key.key_mac, "another body")
    caller = world.caller("billing")
    assert code(lambda: service.create(world.kernel, caller, draft, once_key=other)) == "conflict"


def test_a_repeated_edit_answers_its_version_though_the_head_has_moved(world: World) -> None:
    note = world.write("billing")
    key = OnceKey(world.sources["billing"], "PATCH notes", "k", "b")

    def write() -> Note:
        caller = world.caller("billing")
        return service.edit(world.kernel, caller, note.note_id, Changes(body="Two."), once_key=key).kept

    second = write()
    third = edit(world, "billing", second, body="Three.")
    again = write()
    assert (again.note_id, again.status) == (second.note_id, "retired")
    assert third.version == 3


def test_outcomes_are_counted_for_each_version_and_change_nothing_else(world: World) -> None:
    note = world.write("billing")
    tell = partial(service.record_outcome, world.kernel)
    for helped in (True, True, False):
        outcome = Outcome(helped=helped, about=Evidence("conv-1"))
        assert tell(world.caller("billing"), note.note_id, outcome).status == 202
    generation = world.caller("billing").generation
    tell(world.caller("billing"), note.note_id, Outcome(helped=False))
    assert world.caller("billing").generation == generation
    with world.kernel.database.read() as connection:
        row = connection.execute(select(note_outcome.c.helped, note_outcome.c.not_helped)).one()
    assert tuple(row) == (2, 2)
    detail = world.receipts("note.outcome")[0]["detail"]
    assert detail["helped"] is True
    assert detail["conversation"] == world.kernel.keys.of(world.space_id).commit("conv-1")
    world.set(enabled=False)
    off = partial(tell, world.caller("billing"), note.note_id, Outcome(helped=True))
    assert code(off) == "agent_memory_off"


def test_limits_of_the_space_hold_for_what_changes(world: World) -> None:
    note = world.write("billing", "A title of some length", body="A body of some length.")
    world.set(title_max=5, body_max=5)
    assert code(lambda: world.write("billing", "Short")) == "invalid_input"
    assert code(lambda: edit(world, "billing", note, title="Too long")) == "invalid_input"
    # What was stored before stays as it is.
    assert edit(world, "billing", note, tags=("erp",)).title == note.title
    assert edit(world, "reviewer", world.write("support", "Short", body="Text."), title="Brief").version == 2


def test_a_key_that_was_revoked_meanwhile_writes_nothing(world: World) -> None:
    caller = world.caller("billing")
    revoke(world)
    assert (
        code(lambda: service.create(world.kernel, caller, Draft("pitfall", "Late", "T.")))
        == "unauthenticated"
    )
    assert world.count(note_version) == 0


def test_a_memory_turned_off_meanwhile_takes_nothing(world: World) -> None:
    real = world.kernel.writer.commit

    def turned_off(space_id: str, work: Any, **options: Any) -> Any:
        object.__setattr__(world.kernel.writer, "commit", real)
        world.set(enabled=False)
        return real(space_id, work, **options)

    caller = world.caller("billing")
    object.__setattr__(world.kernel.writer, "commit", turned_off)
    write = partial(service.create, world.kernel, caller, Draft("pitfall", "Late", "Text."))
    assert code(write) == "agent_memory_off"


def revoke(world: World) -> None:
    from tarimba.receipts.model import Actor, Receipt
    from tarimba.receipts.service import record
    from tarimba.storage import Tx
    from tarimba.storage.tables import agent_key

    def work(tx: Tx) -> None:
        tx.write(agent_key.update().values(revoked_at=tx.now))
        tx.changed()
        record(tx, Receipt("key.revoke", Actor("system", "cli"), "cli"))

    world.kernel.writer.commit(world.space_id, work)
