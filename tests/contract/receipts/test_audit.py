"""Whoever changes the database behind the server's back is found, with the first bad seq."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, update

from tarimba.errors import Refusal
from tarimba.receipts.audit import verify_database, verify_space
from tarimba.receipts.merkle import Frontier, leaf_hash, root
from tarimba.receipts.verify import Checkpoint, Report
from tarimba.storage.tables import block_notes, note_version, receipt_bundle, space_head
from tests.contract.receipts.world import World, bundle_change

OTHER_ID = "0190ffff-0000-7000-8000-00000000000f"


@pytest.fixture
def log(world: World) -> World:
    """Seq 0 the agent, 1 a note, 2 another, 3 an edit of it, 4 to 6 block reads, 7 to 9 one row, 10 a read."""
    first, _ = world.write_note("First")
    second, _ = world.write_note("Second")
    third, _ = world.write_note("Second, revised", supersedes=second)
    world.read_block([first.note_id, third.note_id], conversation="conv-1")
    world.read_block([third.note_id])
    world.read_block([first.note_id, third.note_id])
    world.act(*(world.receipt("settings.change", setting="body_max", new=number) for number in range(3)))
    world.read_block([])
    return world


def verify(world: World) -> Report:
    return verify_space(world.kernel, world.space_id)


def edit_entry(world: World) -> None:
    entries = world.bundle(4)["entries"].replace(b'"max_tokens":300', b'"max_tokens":301')
    world.tamper(bundle_change(4, entries=entries))


def edit_entry_and_hash(world: World) -> None:
    entries = world.bundle(7)["entries"].replace(b'"new":0', b'"new":9')
    hashes = b"".join(leaf_hash(line) for line in entries.split(b"\n"))
    world.tamper(bundle_change(7, entries=entries, hashes=hashes))


def delete_row(world: World) -> None:
    world.tamper(delete(receipt_bundle).where(receipt_bundle.c.first_seq == 5))


def delete_last_row(world: World) -> None:
    world.tamper(delete(receipt_bundle).where(receipt_bundle.c.first_seq == 10))


def append_row(world: World) -> None:
    world.tamper(insert(receipt_bundle).values(**{**world.bundle(6), "first_seq": 11}))


def insert_row(world: World) -> None:
    world.tamper(insert(receipt_bundle).values(**{**world.bundle(6), "first_seq": 8}))


def swap_rows(world: World) -> None:
    one, other = world.bundle(4), world.bundle(5)
    world.tamper(
        bundle_change(4, entries=other["entries"], hashes=other["hashes"]),
        bundle_change(5, entries=one["entries"], hashes=one["hashes"]),
    )


def swap_entries(world: World) -> None:
    one, other = world.bundle(4)["entries"], world.bundle(6)["entries"]
    world.tamper(bundle_change(4, entries=other), bundle_change(6, entries=one))


def reorder_in_row(world: World) -> None:
    row = world.bundle(7)
    lines = row["entries"].split(b"\n")[::-1]
    world.tamper(
        bundle_change(7, entries=b"\n".join(lines), hashes=b"".join(leaf_hash(line) for line in lines))
    )


def drop_entry_from_row(world: World) -> None:
    world.tamper(bundle_change(7, entries=world.bundle(7)["entries"].rsplit(b"\n", 1)[0]))


def truncate_with_head(world: World) -> None:
    frontier = Frontier.empty().extend(world.leaves()[:10]).to_bytes()
    delete_last_row(world)
    world.tamper(update(space_head).values(size=10, frontier=frontier))


def edit_head_size(world: World) -> None:
    world.tamper(update(space_head).values(size=15))


def shrink_head_size(world: World) -> None:
    world.tamper(update(space_head).values(size=6))


def edit_frontier(world: World) -> None:
    world.tamper(update(space_head).values(frontier=Frontier.empty().extend(world.leaves()[::-1]).to_bytes()))


def edit_seal(world: World) -> None:
    world.tamper(update(space_head).values(seal=bytes(32)))


def edit_notes_of_block(world: World) -> None:
    world.tamper(update(block_notes).where(block_notes.c.notes != "[]").values(notes='["x"]'))


def garble_entry(world: World) -> None:
    world.tamper(bundle_change(6, entries=b"\xff{"))


def third_note(**values: Any) -> Any:
    return update(note_version).where(note_version.c.title == "Second, revised").values(**values)


def edit_note(world: World) -> None:
    world.tamper(third_note(body="Never close the order."))


def edit_note_and_hash(world: World) -> None:
    world.tamper(third_note(body="Never close the order.", content_hash="0" * 64))


def edit_line(world: World) -> None:
    world.tamper(third_note(line="- [pitfall] Second, revised: Never close the order."))


def delete_note(world: World) -> None:
    world.tamper(delete(note_version).where(note_version.c.title == "First"))


def plant_note(world: World) -> None:
    with world.kernel.database.read() as connection:
        row = connection.execute(select(note_version).where(note_version.c.title == "First")).one()
    world.tamper(insert(note_version).values(**{**row._mapping, "note_id": OTHER_ID, "version": 2}))


TAMPERING: list[tuple[Callable[[World], None], str, int, int | None]] = [
    (edit_entry, "hash", 4, None),
    (edit_entry_and_hash, "tree", 0, 7),
    (delete_row, "gap", 5, None),
    (delete_last_row, "missing", 10, None),
    (append_row, "surplus", 11, None),
    (insert_row, "overlap", 8, None),
    (swap_rows, "tree", 0, 7),
    (swap_entries, "hash", 4, None),
    (reorder_in_row, "tree", 0, 7),
    (drop_entry_from_row, "count", 9, None),
    (truncate_with_head, "seal", 0, 10),
    (edit_head_size, "missing", 11, None),
    (shrink_head_size, "surplus", 6, None),
    (edit_frontier, "frontier", 11, None),
    (edit_seal, "seal", 0, 11),
    (edit_notes_of_block, "hash", 4, None),
    (garble_entry, "unreadable", 6, None),
    (edit_note, "edited", 3, None),
    (edit_note_and_hash, "rewritten", 3, None),
    (edit_line, "rendered", 3, None),
    (delete_note, "vanished", 1, None),
    (plant_note, "unreceipted", 1, None),
]


@pytest.mark.promise("tampering-found")
@pytest.mark.parametrize(
    ("tamper", "code", "seq", "last_seq"), TAMPERING, ids=[case[0].__name__ for case in TAMPERING]
)
def test_tampering_is_found_with_its_first_bad_seq(
    log: World, tamper: Callable[[World], None], code: str, seq: int, last_seq: int | None
) -> None:
    tamper(log)
    report = verify(log)
    assert not report.ok
    assert report.first_bad_seq == seq
    finding = next(finding for finding in report.findings if finding.code == code)
    assert (finding.seq, finding.last_seq) == (seq, last_seq)
    assert finding.sentence in report.lines()


def test_an_untouched_log_is_in_order(log: World) -> None:
    report = verify(log)
    assert report.lines()[1] == "Nothing wrong was found."
    assert (report.ok, report.receipts, report.versions, report.first_bad_seq) == (True, 11, 3, None)
    assert report.as_json()["findings"] == []


def test_without_the_key_a_cut_with_a_new_head_is_not_seen_and_the_report_says_so(log: World) -> None:
    truncate_with_head(log)
    report = verify_database(log.kernel.database, log.space_id)
    assert report.ok
    assert "Not checked: the seal of the log's head: that needs the key of the space." in report.lines()


@pytest.mark.promise("rewind-honest")
def test_a_whole_rewind_is_found_by_a_kept_checkpoint_and_else_named_as_unchecked(world: World) -> None:
    world.read_block([])
    before = world.head()
    world.read_block([])
    kept = Checkpoint(world.size, root(world.leaves()))
    world.tamper(
        delete(receipt_bundle).where(receipt_bundle.c.first_seq >= before["size"]),
        update(space_head).values(**before),
    )
    blind = verify(world)
    assert blind.ok
    assert any("put back to an earlier state" in line for line in blind.lines())
    report = verify_space(world.kernel, world.space_id, [kept])
    assert (report.ok, report.first_bad_seq) == (False, before["size"])
    assert not any("put back to an earlier state" in line for line in report.unchecked)


def test_a_kept_checkpoint_narrows_where_a_resealed_log_was_changed(log: World) -> None:
    kept = Checkpoint(7, root(log.leaves()[:7]))
    edit_entry_and_hash(log)
    report = verify_space(log.kernel, log.space_id, [kept])
    assert [(finding.code, finding.seq, finding.last_seq) for finding in report.findings] == [("tree", 7, 7)]


@pytest.mark.promise("erasure-keeps-receipts")
def test_an_erased_agent_leaves_its_receipts_and_no_complaint(log: World) -> None:
    log.erase()
    report = verify(log)
    assert (report.ok, report.versions, report.receipts) == (True, 0, 12)


def test_the_log_goes_on_after_it_was_verified(log: World) -> None:
    assert verify(log).ok
    log.write_note("Third")
    assert verify(log).ok


def test_another_space_or_none_is_not_found(world: World) -> None:
    with pytest.raises(Refusal) as refused:
        verify_database(world.kernel.database, OTHER_ID)
    assert refused.value.code == "not_found"
