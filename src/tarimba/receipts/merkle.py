"""The Merkle tree of RFC 6962, by its names: hashes, inclusion and consistency proofs, a compact frontier.

Pure, and free of the server, so that the verifier of exported bundles runs on the very same code. `leaves`
are always LEAF HASHES (32 bytes each), oldest first; a tree of n leaves has the indices 0..n-1.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

HASH_SIZE = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """The root over the leaf hashes (MTH); SHA-256 of nothing for the empty tree."""
    return Frontier.empty().extend(leaves).root()


def inclusion_ranges(index: int, size: int) -> list[tuple[int, int]]:
    """The subtrees `[start, end)` whose roots prove leaf `index` in a tree of `size` leaves (PATH), leaf up.

    A caller with stored tiles hashes only these; `IndexError` when the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise IndexError("the tree has no leaf of this index")
    start, end = 0, size
    path: list[tuple[int, int]] = []
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append((middle, end))
            end = middle
        else:
            path.append((start, middle))
            start = middle
    return path[::-1]


def consistency_ranges(old_size: int, new_size: int) -> list[tuple[int, int]]:
    """The subtrees whose roots prove the tree of `old_size` a prefix of that of `new_size` (PROOF)."""
    if not 0 < old_size <= new_size:
        raise IndexError("a consistency proof needs 0 < old size <= new size")
    start, end = 0, new_size
    path: list[tuple[int, int]] = []
    while end != old_size:
        middle = start + _split(end - start)
        if old_size <= middle:
            path.append((middle, end))
            end = middle
        else:
            path.append((start, middle))
            start = middle
    # The verifier knows the old root already when it is a whole subtree of the new tree.
    if start:
        path.append((start, end))
    return path[::-1]


def inclusion_proof(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """The hashes that lead from leaf `index` to the root; `IndexError` when there is no such leaf."""
    return [root(leaves[start:end]) for start, end in inclusion_ranges(index, len(leaves))]


def consistency_proof(old_size: int, leaves: Sequence[bytes]) -> list[bytes]:
    """The hashes that show the first `old_size` leaves unchanged; `IndexError` unless 0 < old_size <= n."""
    return [root(leaves[start:end]) for start, end in consistency_ranges(old_size, len(leaves))]


def verify_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes], expected: bytes) -> bool:
    """Whether the proof leads from the leaf hash at `index` to the root `expected` of `size` leaves."""
    if not 0 <= index < size or not _are_hashes(leaf, *proof):
        return False
    node, last, computed = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if node & 1 or node == last:
            computed = node_hash(sibling, computed)
            node, last = _up_to_left_sibling(node, last)
        else:
            computed = node_hash(computed, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and computed == expected


def verify_consistency(
    old_size: int, new_size: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether the tree of `old_size` with `old_root` is a prefix of that of `new_size` with `new_root`.

    False for an empty old tree: everything is consistent with it, so a proof of that says nothing.
    """
    if not 0 < old_size <= new_size:
        return False
    if old_size == new_size:
        return not proof and old_root == new_root
    if not _are_hashes(old_root, *proof):
        return False
    path = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    if not path:
        return False
    return _fold_consistency(old_size - 1, new_size - 1, path) == (old_root, new_root)


def _fold_consistency(node: int, last: int, path: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """Both roots that the path computes (RFC 9162, 2.1.4.2), or None when it is too short or too long."""
    while node & 1:
        node, last = node >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return None
        if node & 1 or node == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            node, last = _up_to_left_sibling(node, last)
        else:
            new = node_hash(new, sibling)
        node, last = node >> 1, last >> 1
    return (old, new) if last == 0 else None


def _up_to_left_sibling(node: int, last: int) -> tuple[int, int]:
    """Up the right edge, past the levels at which the node has no sibling, until it is a right child."""
    while node and not node & 1:
        node, last = node >> 1, last >> 1
    return node, last


def _split(size: int) -> int:
    """The largest power of two below `size`: how many leaves the left subtree holds."""
    return 1 << ((size - 1).bit_length() - 1)


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == HASH_SIZE for value in values)


@dataclass(frozen=True, slots=True)
class Frontier:
    """All that is needed of a tree to append to it and to know its root.

    `peaks` are the roots of its perfect subtrees, largest first: one per set bit of `size`.
    """

    size: int
    peaks: tuple[bytes, ...]

    @classmethod
    def empty(cls) -> Self:
        return cls(0, ())

    def append(self, leaf: bytes) -> "Frontier":
        return self.extend((leaf,))

    def extend(self, leaves: Iterable[bytes]) -> "Frontier":
        """The frontier after these leaf hashes; n of them cost fewer than n hashes plus one per peak."""
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            node = leaf
            size += 1
            # Each trailing zero of the new size closes a perfect subtree with the last peak.
            for _ in range((size & -size).bit_length() - 1):
                node = node_hash(peaks.pop(), node)
            peaks.append(node)
        return Frontier(size, tuple(peaks))

    def root(self) -> bytes:
        if not self.peaks:
            return EMPTY_ROOT
        computed = self.peaks[-1]
        for peak in self.peaks[-2::-1]:
            computed = node_hash(peak, computed)
        return computed

    def to_bytes(self) -> bytes:
        """The size in 8 bytes, big-endian, then the peaks."""
        return self.size.to_bytes(8, "big") + b"".join(self.peaks)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The frontier that `to_bytes` wrote; `ValueError` when the bytes are none."""
        size = int.from_bytes(data[:8], "big")
        if len(data) != 8 + HASH_SIZE * size.bit_count():
            raise ValueError("these bytes hold no frontier")
        return cls(size, tuple(data[at : at + HASH_SIZE] for at in range(8, len(data), HASH_SIZE)))
