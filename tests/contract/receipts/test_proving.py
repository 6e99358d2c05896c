"""The tree read from few rows gives the proofs that all leaves give, and a receipt is proved up to the sealed head."""

import pytest
from sqlalchemy import delete, select, update

from tarimba.receipts import derived, nodes, tree
from tarimba.receipts.audit import verify_space
from tarimba.receipts.merkle import consistency_proof, inclusion_proof, leaf_hash
from tarimba.receipts.proving import prove, prove_at
from tarimba.receipts.reading import LogReader
from tarimba.receipts.tree import LogTree
from tarimba.storage.tables import log_node, receipt_bundle
from tests.contract.receipts.world import World, bundle_change


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Subtrees of 4, 16 and 64 leaves: a short log has all levels."""
    for module in (tree, nodes, derived):
        monkeypatch.setattr(module, "WIDTH", 4)


def fill(world: World, count: int) -> list[bytes]:
    """Receipts of one row and of single ones. Returns every leaf."""
    world.act(*(world.receipt("settings.change", new=number) for number in range(count)))
    for _ in range(3):
        world.read_block([])
    with world.kernel.database.read() as connection:
        reader = LogReader(connection, world.space_id, world.kernel.cold)
        return [stored.leaf for stored in reader.span(0, world.size)]


@pytest.mark.promise("receipt-proved")
def test_proofs_are_those_of_all_leaves_with_and_without_stored_nodes(world: World) -> None:
    leaves = fill(world, 90)
    size = len(leaves)
    for _ in range(2):
        with world.kernel.database.read() as connection:
            log = LogTree(connection, world.space_id, world.kernel.cold)
            for index in range(size):
                assert log.inclusion(index, size) == inclusion_proof(index, leaves)
            for old in range(1, size + 1):
                assert log.consistency(old, size) == consistency_proof(old, leaves)
        while nodes.grow(world.kernel):
            pass
    with world.kernel.database.read() as connection:
        levels = connection.scalars(select(log_node.c.level).order_by(log_node.c.level)).all()
    assert [levels.count(level) for level in (1, 2, 3)] == [size // 4, size // 16, size // 64]
    assert verify_space(world.kernel, world.space_id).ok


@pytest.mark.promise("receipt-proved")
def test_a_receipt_is_proved_up_to_the_sealed_head_and_what_was_altered_is_not(world: World) -> None:
    fill(world, 20)
    recorded = world.read_block(["0190aaaa-0000-7000-8000-0000000000aa"])
    proof, asked = prove(world.kernel, world.auditor, recorded.id)
    assert proof.ok
    assert (proof.stored.seq, proof.stored.leaf.hex(), proof.size) == (
        recorded.seq,
        recorded.leaf,
        asked.seq + 1,
    )
    row = world.bundle(recorded.seq)
    entries = row["entries"].replace(b'"max_tokens":300', b'"max_tokens":301')
    world.tamper(bundle_change(recorded.seq, entries=entries))
    altered = prove_at(world.kernel, world.auditor, recorded.seq)[0]
    assert (altered.is_whole, altered.is_included, altered.is_sealed) == (False, False, True)
    # Whoever writes the hash anew does not reach the sealed root.
    world.tamper(bundle_change(recorded.seq, entries=row["entries"], hashes=leaf_hash(b"other")))
    assert not prove_at(world.kernel, world.auditor, recorded.seq)[0].ok
    world.tamper(delete(receipt_bundle).where(receipt_bundle.c.first_seq == recorded.seq))
    gone = prove_at(world.kernel, world.auditor, recorded.seq)[0]
    assert gone.stored.document == {"missing": True}
    assert not gone.ok


def test_an_altered_node_is_found_and_named(world: World) -> None:
    fill(world, 90)
    while nodes.grow(world.kernel):
        pass
    world.tamper(
        update(log_node).where(log_node.c.level == 2, log_node.c.place == 1).values(hash=leaf_hash(b"other"))
    )
    report = verify_space(world.kernel, world.space_id)
    assert [(one.code, one.seq, one.last_seq) for one in report.findings] == [("node", 16, 31)]
    assert not prove_at(world.kernel, world.auditor, 2)[0].ok
    assert prove_at(world.kernel, world.auditor, 17)[0].ok
    world.tamper(delete(log_node))
    assert verify_space(world.kernel, world.space_id).ok
