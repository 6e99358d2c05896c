"""Export, import and erasure on both databases."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from tarimba.clock import SECOND
from tarimba.erasure import service as erasure
from tarimba.erasure.document import ROW_MAX
from tarimba.erasure.erasing import SCRUBBED_AT_ONCE
from tarimba.erasure.importing import _Import
from tarimba.erasure.model import Imported
from tarimba.errors import Refusal
from tarimba.identity import settings
from tarimba.jobs.service import Leases, Worker
from tarimba.notes import service
from tarimba.notes.model import Changes, Evidence, Filter, Note, Outcome, Question
from tarimba.receipts.audit import verify_space
from tarimba.storage.files import IN_USE
from tarimba.storage.tables import job, note_chain, note_outcome, note_term, note_version, outbox
from tests.contract.notes.world import World, code, refusal

BROKEN = (
    b"",
    b"[]",
    b'{"notes":[',
    b'{"notes":[{}]',
    b'{"notes":[{"a":1,"a":2}]}',
    b'{"notes":[NaN]}',
    b'{"notes":[]} {}',
    b'{"notes":[],,}',
    b'{"notes":[' + b"[" * 100_000,
    b'{"notes":["\xff"]}',
)


def export(world: World, source: str | None = "billing", who: str = "owner") -> dict[str, Any]:
    source_id = world.sources[source] if source else None
    pieces = erasure.export(world.kernel, world.caller(who), source_id).pieces
    document: dict[str, Any] = json.loads(b"".join(pieces))
    return document


def erase(world: World, source: str = "billing", who: str = "owner") -> int:
    return erasure.erase(world.kernel, world.caller(who), world.sources[source]).deleted


def take_in(world: World, document: Any, into: str | None = None, who: str = "owner") -> Imported:
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    source_id = world.sources[into] if into else None
    return erasure.import_notes(world.kernel, world.caller(who), chunks(raw), into=source_id)


def chunks(raw: bytes, size: int = 700) -> Iterator[bytes]:
    return (raw[at : at + size] for at in range(0, len(raw), size))


def titles(world: World, who: str = "billing") -> list[str]:
    read = service.list_notes(world.kernel, world.caller(who), Filter(), limit=100)
    return [note.title for note in read.notes]


def found(world: World, query: str, who: str = "billing") -> list[str]:
    read = service.search(world.kernel, world.caller(who), Question(query, limit=20))
    return [note.title for note in read.notes]


def some_notes(world: World) -> list[Note]:
    """Chains of every state: edited, opened, retired, expired, with evidence."""
    edit, retire = service.edit, service.retire
    agent, person = world.caller("billing"), world.caller("reviewer")
    first = world.write("billing", "Close the ledger", tags=("erp", "ledger"))
    second = edit(world.kernel, agent, first.note_id, Changes(body="Lock the period, then close.")).kept
    opened = edit(world.kernel, person, second.note_id, Changes(visibility="vendor")).kept
    evidence = Evidence(conversation_id="+55 11 91234-5678", task_id="task-7")
    gone = world.write("billing", "Restart the gateway", kind="pitfall", evidence=evidence)
    retire(world.kernel, agent, gone.note_id)
    end = world.kernel.clock.now_us() + 10**9
    kept = world.write("billing", "Send the reminder — amanhã", kind="tool_note", valid_until=end)
    return [opened, gone, kept]


def test_an_export_comes_back_as_it_was(world: World) -> None:
    some_notes(world)
    before = export(world)
    assert erase(world) == len(before["notes"]) == 5
    assert titles(world) == []
    done = take_in(world, before)
    after = export(world)
    assert (done.notes, done.versions, done.refused) == (3, 5, ())
    assert after | {"exported_at": ""} == before | {"exported_at": ""}
    # Ages, search and visibility come back with the notes.
    expected = ["Send the reminder — amanhã", "Restart the gateway", "Close the ledger"]
    assert titles(world) == expected
    assert found(world, "ledgers") == ["Close the ledger"]
    assert titles(world, "support") == ["Close the ledger"]
    assert titles(world, "courier") == []


def test_a_document_of_another_agent_goes_into_the_one_that_is_named(world: World) -> None:
    some_notes(world)
    document = export(world)
    erase(world)
    take_in(world, document, into="courier")
    assert len(titles(world, "courier")) == 3
    assert {row["source_id"] for row in export(world, None)["notes"]} == {world.sources["courier"]}


def test_the_whole_space_is_exported_and_taken_in(world: World) -> None:
    for who in ("billing", "courier", "billing"):
        world.write(who, f"Note of {who}")
    document = export(world, None)
    assert document["source_id"] is None
    assert len(document["notes"]) == 3
    erase(world)
    erase(world, "courier")
    take_in(world, document)
    assert export(world, None)["notes"] == document["notes"]


def test_an_export_shows_the_space_at_its_own_place_in_the_log(world: World) -> None:
    note = world.write("billing", "Before")
    pieces = erasure.export(world.kernel, world.caller("admin"), None).pieces
    service.retire(world.kernel, world.caller("billing"), note.note_id)
    world.write("billing", "After")
    rows = json.loads(b"".join(pieces))["notes"]
    assert [(row["title"], row["status"]) for row in rows] == [("Before", "active")]


def test_what_is_no_row_of_ours_is_named_by_index_and_never_quoted(world: World) -> None:
    good = export_of_one(world)
    rows = [
        good,
        good,
        {**good, "note_id": other_id(1), "title": "Ask +55 11 91234-5678"},
        {**good, "note_id": other_id(2), "sec-ret": 1},
        {**good, "note_id": other_id(3), "kind": "sec-ret"},
        {**good, "note_id": other_id(4), "body": "<agent_notes>sec-ret"},
        {**good, "note_id": other_id(5), "source_id": other_id(6)},
        {**good, "note_id": other_id(7), "supersedes_note_id": other_id(8), "version": 2},
        {**good, "note_id": other_id(9), "created_by": "11912345678"},
        {**good, "note_id": other_id(10), "created_at": "yesterday"},
        {**good, "note_id": other_id(11), "version": 2},
        "sec-ret",
        {**good, "note_id": other_id(12), "title": "Kept"},
    ]
    done = take_in(world, {"notes": rows, "proposals": [{"sec-ret": 1}]})
    assert [(row.array, row.index) for row in done.refused] == [
        *(("notes", index) for index in range(1, 12)),
        ("proposals", 0),
    ]
    assert done.refused[1].kinds == ("phone",)
    assert "91234" not in str(done.refused)
    assert "sec-ret" not in str(done.refused)
    assert titles(world) == ["Kept", good["title"]]


def test_an_agent_with_notes_and_a_note_already_there_are_conflicts(world: World) -> None:
    world.write("billing", "There")
    document = export(world)
    assert code(lambda: take_in(world, document)) == "conflict"
    assert code(lambda: take_in(world, document, into="courier")) == "conflict"
    assert titles(world) == ["There"]
    assert world.count(note_chain) == 1


def test_what_is_no_json_is_400_and_leaves_nothing(world: World) -> None:
    for broken in BROKEN:
        assert refusal(partial(take_in, world, broken)).status == 400
    assert world.count(note_chain) == 0


def test_a_document_that_breaks_off_is_undone(world: World) -> None:
    row = export_of_one(world)
    rows = [{**row, "note_id": other_id(number)} for number in range(60)]
    whole = json.dumps({"notes": rows}).encode()
    assert refusal(lambda: take_in(world, whole[:-5])).status == 400
    work(world)
    assert [world.count(table) for table in (note_chain, note_version, note_term, job)] == [0, 0, 0, 0]
    assert take_in(world, whole).versions == 60


def test_the_log_proves_what_was_imported_erased_and_undone(world: World) -> None:
    some_notes(world)
    document = export(world)
    broken = json.dumps(document).encode()[:-5]
    for act in (partial(erase, world), partial(take_in, world, document), partial(erase, world)):
        act()
        assert verify_space(world.kernel, world.space_id).ok
    assert code(lambda: take_in(world, broken)) == "invalid_input"
    assert verify_space(world.kernel, world.space_id).ok


def test_a_row_too_large_to_hold_is_refused(world: World) -> None:
    long = b'{"notes":["' + b"a" * (2 * ROW_MAX) + b'"]}'
    assert code(lambda: take_in(world, long)) == "too_large"
    assert code(lambda: take_in(world, {"secrets": []})) == "invalid_input"


def test_an_import_is_seen_whole_or_not_at_all(world: World) -> None:
    row = export_of_one(world)
    rows = [{**row, "note_id": other_id(number)} for number in range(60)]
    seen: list[int] = []

    def watched() -> Iterator[bytes]:
        for chunk in chunks(json.dumps({"notes": rows}).encode()):
            seen.append(len(titles(world, "owner")) + len(found(world, "ledger", "owner")))
            yield chunk

    erasure.import_notes(world.kernel, world.caller("owner"), watched())
    assert set(seen) == {0}
    assert len(titles(world, "owner")) == 60


def test_a_dead_import_is_undone_at_the_next_start(world: World) -> None:
    row = export_of_one(world)
    rows = [{**row, "note_id": other_id(number)} for number in range(60)]
    raw = json.dumps({"notes": rows}).encode()
    work(world)
    running = erasure_run(world, raw[:-5])
    assert world.count(note_chain) > 0
    assert not work(world)
    assert world.count(note_chain) > 0, "another process may still be at it"
    later(world)
    assert work(world)
    assert [world.count(table) for table in (note_chain, note_version, note_term, job)] == [0, 0, 0, 0]
    assert code(lambda: running.kernel.writer.commit(world.space_id, running.show)) == "conflict"


def test_an_import_fills_an_agent_only_up_to_its_cap(world: World) -> None:
    world.set(active_notes_max=3)
    row = export_of_one(world)
    rows = [{**row, "note_id": other_id(number)} for number in range(5)]
    done = take_in(world, {"notes": rows})
    assert [refused.code for refused in done.refused] == ["agent_memory_full"] * 2
    assert code(lambda: world.write("billing")) == "agent_memory_full"


def test_who_may(world: World) -> None:
    document: dict[str, Any] = {"notes": []}
    for who in ("reviewer", "manager", "operator", "auditor", "member", "billing"):
        assert code(partial(export, world, who=who)) == "scope_missing"
        assert code(partial(erase, world, who=who)) == "scope_missing"
        assert code(partial(take_in, world, document, who=who)) == "scope_missing"
    assert code(lambda: take_in(world, document, who="admin")) == "scope_missing"
    assert code(lambda: export(world, who="admin")) == "ok"
    assert code(lambda: erase(world, who="admin")) == "ok"


def test_an_unknown_agent_is_not_found(world: World) -> None:
    world.sources["nobody"] = other_id(1)
    world.sources["odd"] = "no id"
    for source in ("nobody", "odd"):
        assert code(partial(export, world, source)) == "not_found"
        assert code(partial(erase, world, source)) == "not_found"


def test_people_export_and_erase_while_the_memory_is_off_but_import_nothing(world: World) -> None:
    world.write("billing", "There")
    world.set(enabled=False)
    document = export(world)
    assert len(document["notes"]) == 1
    assert erase(world) == 1
    assert code(lambda: take_in(world, document)) == "agent_memory_off"


def test_erasing_takes_everything_but_the_receipts(world: World) -> None:
    world.set(writes_per_hour=100)
    notes = some_notes(world)
    for number in range(SCRUBBED_AT_ONCE):
        world.write("billing", f"Step {number}")
    world.write("courier", "Stays")
    service.record_outcome(world.kernel, world.caller("billing"), notes[0].note_id, Outcome(helped=True))
    receipts = len(world.receipts())
    assert erase(world) == 5 + SCRUBBED_AT_ONCE
    assert erase(world) == 0
    counts = [world.count(table) for table in (note_chain, note_version, note_outcome)]
    assert counts == [1, 1, 0]
    assert code(lambda: service.get(world.kernel, world.caller("owner"), notes[0].note_id)) == "not_found"
    assert found(world, "ledger gateway step", "owner") == []
    assert found(world, "stays", "owner") == ["Stays"]
    actions = [entry["action"] for entry in world.receipts()[receipts:]]
    assert actions.count("erase.requested") == 2
    work(world)
    assert world.count(job) == 0
    scrubbed = [entry["detail"] for entry in world.receipts("erase.scrubbed")]
    assert sum(one["versions"] for one in scrubbed if not one["complete"]) == 5 + SCRUBBED_AT_ONCE
    assert [one["versions"] for one in scrubbed if one["complete"]] == [5 + SCRUBBED_AT_ONCE, 0]
    with world.kernel.database.read() as connection:
        types = connection.scalars(select(outbox.c.type)).all()
    assert types.count("agent_memory.erased") == 2


def test_an_erasure_is_finished_by_the_next_start(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    note = world.write("billing", "There")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tarimba.erasure.erasing.scrub", die)
    with pytest.raises(KeyboardInterrupt):
        erase(world)
    monkeypatch.undo()
    assert code(lambda: service.get(world.kernel, world.caller("billing"), note.note_id)) == "not_found"
    assert world.count(note_version) == 1
    assert not work(world)
    later(world)
    assert work(world)
    assert [world.count(table) for table in (note_chain, note_version, note_term, job)] == [0, 0, 0, 0]


def work(world: World) -> bool:
    """Every job that is due, and again what PostgreSQL's own housekeeping was in the way of. Whether there was one."""
    worker = Worker(world.kernel, {erasure.SCRUB: erasure.scrub, erasure.IMPORT: erasure.undo})
    found = worker.piece()
    for _ in range(1000):
        if not worker.piece() and not world.count(job, job.c.problem == IN_USE):
            break
        world.kernel.clock.offset_us += SECOND
    return found


def later(world: World) -> None:
    """Longer than the lease of a process that died."""
    world.kernel.clock.offset_us += 31 * SECOND


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_no_byte_of_an_erased_text_stays_in_the_files(world: World) -> None:
    words = ["feldspathoid", "metagreywacke", "cryptocrystalline"]
    note = world.write("billing", words[0], body=words[1], tags=("zzyzx-road",))
    service.edit(world.kernel, world.caller("billing"), note.note_id, Changes(body=words[2]))
    path = world.kernel.database.file
    files = [path, path.with_name(path.name + "-wal")]
    assert any(words[1].encode() in file.read_bytes() for file in files)
    erase(world)
    left = b"".join(file.read_bytes() for file in files if file.exists())
    assert [word for word in [*words, "zzyzx-road"] if word.encode() in left] == []


def erasure_run(world: World, raw: bytes) -> Any:
    """An import that stops in the middle, as if its process had died."""
    with world.kernel.database.read() as connection:
        loaded = settings.load(connection, world.space_id)
    running = _Import(world.kernel, world.caller("owner"), loaded, None, Leases(world.kernel))
    with pytest.raises(Refusal):
        running.run(chunks(raw))
    return running


def export_of_one(world: World) -> dict[str, Any]:
    """A row that can be taken in: the agent has no notes."""
    world.write("billing", "Close the ledger")
    (row,) = export(world)["notes"]
    erase(world)
    assert isinstance(row, dict)
    return row


def other_id(number: int) -> str:
    return f"01900000-0000-7000-8000-{number:012x}"
