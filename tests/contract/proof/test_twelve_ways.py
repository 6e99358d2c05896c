"""Twelve ways to tamper with what happened: each is found, and the first bad place is named."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import delete

from tarimba.proof import service as proof
from tarimba.receipts.audit import verify_space
from tarimba.receipts.bundle import verify_bundle
from tarimba.receipts.checkpoint import PublicKey, SignedCheckpoint
from tarimba.receipts.kept import read_kept
from tarimba.receipts.report import Report
from tarimba.receipts.search import Question
from tarimba.storage.tables import receipt_bundle
from tests.contract.receipts import tampering
from tests.contract.receipts.world import World


@dataclass(frozen=True, slots=True)
class Outside:
    """What somebody outside kept before it was tampered with: a checkpoint, a bundle, the public key."""

    checkpoint: SignedCheckpoint
    bundle: dict[str, Any]
    key: PublicKey


@pytest.fixture
def outside(log: World) -> Outside:
    """The checkpoint has 13 receipts: two of its own stand behind the 11 of the log."""
    document, _ = proof.bundle(log.kernel, log.auditor, Question(conversation_id="conv-1"))
    checkpoint = proof.make(log.kernel, log.space_id)
    (key,) = proof.public_keys(log.kernel, log.auditor)
    return Outside(checkpoint, json.loads(json.dumps(document)), key.public)


def verified(log: World, outside: Outside | None) -> Report:
    """What `tarimba receipts verify` says, with the kept checkpoint or without."""
    kept = () if outside is None else read_kept(outside.checkpoint.note, key=outside.key).checkpoints
    return verify_space(log.kernel, log.space_id, kept)


def fork(log: World) -> None:
    """The newest receipts exchanged for others by who holds the master key, and more written since."""
    size = log.size
    tampering.rewind(log, 10)
    while log.size <= size:
        log.write_note("Told otherwise")


def truncate(log: World) -> None:
    log.tamper(delete(receipt_bundle).where(receipt_bundle.c.first_seq >= 10))


def rewind(log: World) -> None:
    tampering.rewind(log, 10)


# (the way, the finding, the first bad seq, whether only a checkpoint kept elsewhere tells)
WAYS: list[tuple[str, Callable[[World], None], str, int, bool]] = [
    ("edit", tampering.edit_entry, "hash", 4, False),
    ("delete", tampering.delete_row, "gap", 5, False),
    ("insert", tampering.insert_row, "overlap", 8, False),
    ("reorder", tampering.reorder_in_row, "tree", 0, False),
    ("swap two", tampering.swap_entries, "hash", 4, False),
    ("truncate", truncate, "missing", 10, False),
    ("rewind", rewind, "rewound", 10, True),
    ("fork", fork, "checkpoint", 0, True),
    ("edit a note body", tampering.edit_note, "edited", 3, False),
]


@pytest.mark.promise("twelve-ways-found")
@pytest.mark.parametrize(("way", "tamper", "code", "seq", "needs_kept"), WAYS, ids=[way[0] for way in WAYS])
def test_each_way_to_tamper_with_the_database_is_found(
    log: World,
    outside: Outside,
    way: str,
    tamper: Callable[[World], None],
    code: str,
    seq: int,
    needs_kept: bool,
) -> None:
    assert verified(log, outside).ok, "before"
    tamper(log)
    blind, report = verified(log, None), verified(log, outside)
    assert (report.ok, report.first_bad_seq) == (False, seq), way
    assert code in {finding.code for finding in report.findings}
    assert blind.ok is needs_kept
    assert "backup" in blind.unchecked_codes, "what only a checkpoint tells is said to be unchecked"
    assert "backup" not in report.unchecked_codes


@pytest.mark.promise("twelve-ways-found")
def test_the_tenth_way_an_edited_bundle(outside: Outside) -> None:
    assert verify_bundle(outside.bundle, outside.key).ok
    for row in outside.bundle["receipts"]:
        edited = copy.deepcopy(outside.bundle)
        found = next(one for one in edited["receipts"] if one["seq"] == row["seq"])
        found["receipt"]["at"] = "2020-01-01T00:00:00.000000Z"
        report = verify_bundle(edited, outside.key)
        assert (report.ok, report.first_bad_seq) == (False, row["seq"])
        assert f"The first bad seq is {row['seq']}." in report.lines()


@pytest.mark.promise("twelve-ways-found")
@pytest.mark.parametrize(("line", "at"), [(1, 0), (2, 0), (4, -20)], ids=["size", "root", "signature"])
def test_the_eleventh_way_an_edited_checkpoint(outside: Outside, line: int, at: int) -> None:
    lines = outside.checkpoint.note.split("\n")
    letters = list(lines[line])
    letters[at] = "2" if letters[at] != "2" else "3"
    edited = "\n".join([*lines[:line], "".join(letters), *lines[line + 1 :]])
    text = outside.checkpoint.note + "\n" + edited
    with pytest.raises(ValueError, match="Checkpoint number 2 in the file is not signed by this key"):
        read_kept(text, key=outside.key)
    bundle = {**outside.bundle, "checkpoint": edited}
    assert any("not signed by the key" in one for one in verify_bundle(bundle, outside.key).findings)


@pytest.mark.promise("twelve-ways-found")
def test_the_twelfth_way_an_old_backup(log: World) -> None:
    old = tampering.back_up(log)
    size = log.size
    log.read_block([])
    kept = proof.make(log.kernel, log.space_id)
    tampering.restore(log, old)
    blind = verify_space(log.kernel, log.space_id)
    assert (blind.ok, "backup" in blind.unchecked_codes) == (True, True)
    report = verify_space(log.kernel, log.space_id, read_kept(kept.note).checkpoints)
    assert (report.ok, report.first_bad_seq) == (False, size)
    # It writes on as if nothing had been: the kept checkpoint finds it all the same.
    while log.size < kept.size:
        log.read_block([])
    report = verify_space(log.kernel, log.space_id, read_kept(kept.note).checkpoints)
    assert [finding.code for finding in report.findings] == ["checkpoint"]
