import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.receipts import merkle
from tarimba.receipts.merkle import Frontier, leaf_hash, node_hash, root

VECTORS = Path(__file__).parents[2] / "data" / "merkle"
LEAVES = st.integers(0, 70).map(lambda count: [leaf_hash(bytes([at])) for at in range(count)])


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text("utf-8").splitlines()]


def hashes(values: list[str] | None) -> list[bytes]:
    return [base64.b64decode(value) for value in values or []]


def naive_root(leaves: list[bytes]) -> bytes:
    """MTH of the RFC, word for word."""
    if len(leaves) <= 1:
        return leaves[0] if leaves else merkle.EMPTY_ROOT
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(naive_root(leaves[:split]), naive_root(leaves[split:]))


@pytest.mark.parametrize("row", rows("inclusion.jsonl"), ids=lambda row: row["file"])
def test_published_inclusion_proofs(row: dict[str, Any]) -> None:
    leaf, expected = hashes([row["leafHash"], row["root"]])
    accepted = merkle.verify_inclusion(row["leafIdx"], row["treeSize"], leaf, hashes(row["proof"]), expected)
    assert accepted is not row["wantErr"]


@pytest.mark.parametrize("row", rows("consistency.jsonl"), ids=lambda row: row["file"])
def test_published_consistency_proofs(row: dict[str, Any]) -> None:
    old, new = hashes([row["root1"], row["root2"]])
    accepted = merkle.verify_consistency(row["size1"], row["size2"], old, new, hashes(row["proof"]))
    assert accepted is not row["wantErr"]


def test_hashes_separate_leaves_from_nodes() -> None:
    assert leaf_hash(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert root([]).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert node_hash(b"a" * 32, b"b" * 32) != leaf_hash(b"a" * 32 + b"b" * 32)


@given(leaves=LEAVES, data=st.data())
def test_a_frontier_has_the_naive_root_however_the_leaves_arrive(
    leaves: list[bytes], data: st.DataObject
) -> None:
    frontier, at = Frontier.empty(), 0
    while at < len(leaves):
        step = data.draw(st.integers(1, len(leaves) - at))
        frontier = Frontier.from_bytes(frontier.extend(leaves[at : at + step]).to_bytes())
        at += step
    assert frontier.size == len(leaves)
    assert frontier.root() == root(leaves) == naive_root(leaves)
    assert frontier.append(leaf_hash(b"next")).root() == naive_root([*leaves, leaf_hash(b"next")])


@given(leaves=LEAVES.filter(bool), data=st.data())
def test_every_leaf_is_proved_and_only_at_its_place(leaves: list[bytes], data: st.DataObject) -> None:
    size = len(leaves)
    index = data.draw(st.integers(0, size - 1))
    other = data.draw(st.integers(0, size + 1))
    proof, expected = merkle.inclusion_proof(index, leaves), root(leaves)
    assert merkle.verify_inclusion(index, size, leaves[index], proof, expected)
    assert merkle.verify_inclusion(other, size, leaves[index], proof, expected) is (other == index)
    assert not merkle.verify_inclusion(index, size, leaf_hash(b"forged"), proof, expected)
    assert not merkle.verify_inclusion(index, size, leaves[index], [*proof, expected], expected)


@given(leaves=LEAVES.filter(bool), data=st.data())
def test_every_prefix_is_proved_and_an_altered_one_is_not(leaves: list[bytes], data: st.DataObject) -> None:
    size = len(leaves)
    old = data.draw(st.integers(1, size))
    proof = merkle.consistency_proof(old, leaves)
    assert merkle.verify_consistency(old, size, root(leaves[:old]), root(leaves), proof)
    altered = [*leaves]
    altered[data.draw(st.integers(0, old - 1))] = leaf_hash(b"altered")
    assert not merkle.verify_consistency(old, size, root(altered[:old]), root(leaves), proof)
    changed = merkle.consistency_proof(old, altered)
    assert not merkle.verify_consistency(old, size, root(leaves[:old]), root(altered), changed)


@pytest.mark.parametrize(("index", "size"), [(0, 0), (-1, 3), (3, 3)])
def test_no_proof_of_a_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(IndexError):
        merkle.inclusion_proof(index, [leaf_hash(b"")] * size)


@pytest.mark.parametrize("old", [-1, 0, 4])
def test_no_consistency_proof_of_a_size_that_never_was(old: int) -> None:
    with pytest.raises(IndexError):
        merkle.consistency_proof(old, [leaf_hash(b"")] * 3)


def test_hashes_of_another_length_prove_nothing() -> None:
    assert not merkle.verify_inclusion(0, 1, b"short", [], b"short")
    two = [leaf_hash(b"a"), leaf_hash(b"b")]
    joined = node_hash(two[0], two[1])
    # The same bytes cut elsewhere hash to the same node.
    assert not merkle.verify_consistency(1, 2, two[0] + two[1][:1], joined, [two[1][1:]])
    assert not merkle.verify_inclusion(0, 2, two[0], [two[1], b""], joined)


def test_appending_costs_two_hashes_a_leaf_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    Frontier.empty().extend([leaf_hash(b"")] * 1000).root()
    assert len(calls) < 1000 + 10


def counted(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    calls: list[None] = []
    real: Callable[[bytes, bytes], bytes] = merkle.node_hash

    def counting(left: bytes, right: bytes) -> bytes:
        calls.append(None)
        return real(left, right)

    monkeypatch.setattr(merkle, "node_hash", counting)
    return calls


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 7, b"\0" * 9, (3).to_bytes(8, "big") + b"x" * 63, (4).to_bytes(8, "big") + b"x" * 64],
)
def test_bytes_that_hold_no_frontier_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no frontier"):
        Frontier.from_bytes(data)
