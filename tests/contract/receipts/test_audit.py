"""Whoever changes the database behind the server's back is found, with the first bad seq."""

from collections.abc import Callable

import pytest
from sqlalchemy import delete, update

from tarimba.errors import Refusal
from tarimba.receipts.audit import verify_database, verify_space
from tarimba.receipts.merkle import root
from tarimba.receipts.report import Report
from tarimba.receipts.verify import Checkpoint
from tarimba.storage.tables import receipt_bundle, space_head
from tests.contract.receipts import tampering
from tests.contract.receipts.world import World


def verify(world: World) -> Report:
    return verify_space(world.kernel, world.space_id)


TAMPERING: list[tuple[Callable[[World], None], str, int, int | None]] = [
    (tampering.edit_entry, "hash", 4, None),
    (tampering.edit_entry_and_hash, "tree", 0, 7),
    (tampering.delete_row, "gap", 5, None),
    (tampering.delete_last_row, "missing", 10, None),
    (tampering.append_row, "surplus", 11, None),
    (tampering.insert_row, "overlap", 8, None),
    (tampering.swap_rows, "tree", 0, 7),
    (tampering.swap_entries, "hash", 4, None),
    (tampering.reorder_in_row, "tree", 0, 7),
    (tampering.drop_entry_from_row, "count", 9, None),
    (tampering.truncate_with_head, "seal", 0, 10),
    (tampering.edit_head_size, "missing", 11, None),
    (tampering.shrink_head_size, "surplus", 6, None),
    (tampering.edit_frontier, "frontier", 11, None),
    (tampering.edit_seal, "seal", 0, 11),
    (tampering.edit_notes_of_block, "hash", 4, None),
    (tampering.garble_entry, "unreadable", 6, None),
    (tampering.edit_note, "edited", 3, None),
    (tampering.edit_note_and_hash, "rewritten", 3, None),
    (tampering.edit_line, "rendered", 3, None),
    (tampering.delete_note, "vanished", 1, None),
    (tampering.plant_note, "unreceipted", 1, None),
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
    tampering.truncate_with_head(log)
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
    tampering.edit_entry_and_hash(log)
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
        verify_database(world.kernel.database, tampering.OTHER_ID)
    assert refused.value.code == "not_found"
