"""Checkpoints are made, signed, announced and kept in a file; a log that did not grow out of the last is not signed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select, update

from tarimba.clock import SECOND
from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.proof import service as proof
from tarimba.receipts.audit import verify_space
from tarimba.receipts.checkpoint import is_signed, read
from tarimba.receipts.merkle import Frontier, leaf_hash, verify_consistency
from tarimba.receipts.seal import seal
from tarimba.receipts.verify import Checkpoint
from tarimba.storage.tables import log_checkpoint, outbox, receipt_bundle, signing_key, space_head
from tests.contract.receipts.world import World


@pytest.mark.promise("checkpoints-signed")
def test_each_minute_with_new_receipts_has_one_and_it_tells_everywhere(world: World, tmp_path: Path) -> None:
    kept = tmp_path / "checkpoints.txt"
    object.__setattr__(world.kernel.settings, "checkpoint_file", kept)
    for waits in (0, 10, 50, 0):
        world.kernel.clock.offset_us += waits * SECOND
        world.read_block([])
        proof.upkeep(world.kernel)
    made = read(kept.read_text())
    assert len(made) == 2
    (key,) = proof.public_keys(world.kernel, world.auditor)
    assert all(is_signed(one, key.public) for one in made)
    assert made[-1] == proof.latest(world.kernel, world.auditor)
    old, new = made
    path = proof.consistency(world.kernel, world.auditor, old.size, new.size)
    assert verify_consistency(old.size, new.size, old.root, new.root, path)
    with world.kernel.database.read() as connection:
        told = connection.scalars(
            select(outbox.c.payload).where(outbox.c.type == "receipts.checkpoint")
        ).all()
    assert [json.loads(one)["checkpoint"] for one in told] == [one.note for one in made]
    # Nothing new is nothing to sign: not even that the key was made is told twice.
    world.kernel.clock.offset_us += 100 * SECOND
    proof.upkeep(world.kernel)
    assert len(read(kept.read_text())) == 3, "the last receipt"
    world.kernel.clock.offset_us += 100 * SECOND
    proof.upkeep(world.kernel)
    assert len(read(kept.read_text())) == 3


@pytest.mark.promise("checkpoints-signed")
def test_a_log_that_was_put_back_or_forked_is_not_signed_and_found_by_a_kept_checkpoint(world: World) -> None:
    for _ in range(5):
        world.read_block([])
    last = proof.make(world.kernel, world.space_id)
    # Somebody with the master key takes the last receipt away and seals what is left.
    leaves = b"".join(world.bundle(at)["hashes"] for at in range(last.size - 1))
    cut = Frontier.empty().extend(leaves[at : at + 32] for at in range(0, len(leaves), 32))
    sealed = seal(world.kernel.keys.of(world.space_id), cut.size, cut.root())
    world.tamper(
        delete(receipt_bundle).where(receipt_bundle.c.first_seq == last.size - 1),
        update(space_head).values(size=cut.size, frontier=cut.to_bytes(), seal=sealed),
    )
    with pytest.raises(Refusal, match="did not grow out of its last checkpoint"):
        proof.make(world.kernel, world.space_id)
    world.read_block([leaf_hash(b"other").hex()])
    with pytest.raises(Refusal, match="did not grow out of its last checkpoint"):
        proof.make(world.kernel, world.space_id)
    assert verify_space(world.kernel, world.space_id).ok, "everything in the database agrees"
    report = verify_space(world.kernel, world.space_id, [Checkpoint(last.size, last.root)])
    assert [one.code for one in report.findings] == ["checkpoint"]


@pytest.mark.promise("signing-keys-rotate")
def test_a_rotated_key_signs_no_more_and_stays_public(world: World) -> None:
    before = proof.make(world.kernel, world.space_id)
    new = proof.rotate(world.kernel, host(world))
    after = proof.make(world.kernel, world.space_id)
    keys = proof.public_keys(world.kernel, world.auditor)
    assert keys[0] == new
    assert [one.retired_at is None for one in keys] == [True, False]
    assert [is_signed(before, one.public) for one in keys] == [False, True]
    assert [is_signed(after, one.public) for one in keys] == [True, False]
    with world.kernel.database.read() as connection:
        secrets = connection.scalar(
            select(func.count()).select_from(signing_key).where(signing_key.c.secret.is_not(None))
        )
    assert secrets == 1


def test_of_each_earlier_day_one_stays(world: World) -> None:
    for _ in range(3):
        for _ in range(2):
            world.read_block([])
            proof.make(world.kernel, world.space_id)
        world.kernel.clock.offset_us += 24 * 3600 * SECOND
    with world.kernel.database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(log_checkpoint)) == 4


def host(world: World) -> Principal:
    return replace(world.auditor, roles=frozenset({"owner"}))


@pytest.mark.promise("checkpoints-signed")
def test_a_stored_checkpoint_that_can_not_be_read_is_refused_and_stops_no_other_space(world: World) -> None:
    world.read_block([])
    proof.make(world.kernel, world.space_id)
    with world.kernel.database.write() as connection:
        connection.execute(update(log_checkpoint).values(note="Altered.\n"))
    world.read_block([])
    with pytest.raises(Refusal, match="stored checkpoint is damaged"):
        proof.make(world.kernel, world.space_id)
    with pytest.raises(Refusal, match="stored checkpoint is damaged"):
        proof.latest(world.kernel, world.auditor)
    world.kernel.clock.offset_us += 100 * SECOND
    assert not proof.upkeep(world.kernel)
