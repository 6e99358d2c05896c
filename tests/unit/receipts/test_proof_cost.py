"""A proof of one receipt takes the logarithm of the log, in hashes and in what is read for it."""

from collections.abc import Mapping
from typing import Any

import pytest

from tarimba.receipts.cold import Cold
from tarimba.receipts.merkle import HASH_SIZE, inclusion_ranges
from tarimba.receipts.tree import LEVELS, WIDTH, LogTree


class Counted(LogTree):
    """A tree all of whose complete subtrees are stored, which counts how often it reads, at most 256 hashes each."""

    def __init__(self) -> None:
        connection: Any = None
        super().__init__(connection, "space", Cold())
        self.reads = 0

    def _stored(self, level: int, first: int) -> Mapping[int, bytes]:
        self.reads += 1
        return dict.fromkeys(range(first, first + WIDTH), bytes(HASH_SIZE - 1) + bytes([level]))

    def _chunk(self, first: int) -> list[bytes]:
        assert first % WIDTH == 0
        self.reads += 1
        return [bytes(HASH_SIZE)] * WIDTH


@pytest.mark.promise("proofs-short")
@pytest.mark.parametrize("size", [1, 2, 255, 257, 70_000, 1_000_000, 16_000_001])
def test_a_proof_reads_the_logarithm_of_the_log(size: int) -> None:
    for index in {0, size // 3, size // 2, size - 1}:
        tree = Counted()
        assert len(tree.inclusion(index, size)) <= (size - 1).bit_length()
        # The chunk of the leaf and that at the end, and at each level the row of it and that at the end.
        assert tree.reads <= 2 * (LEVELS + 1)
        if size > 1:
            tree = Counted()
            tree.consistency(max(index, 1), size)
            assert tree.reads <= 2 * (LEVELS + 1) + 1


@pytest.mark.promise("proofs-short")
def test_a_path_has_a_hash_for_each_level_however_long_the_log() -> None:
    for bits in range(1, 53):
        size = 2**bits
        assert len(inclusion_ranges(size // 2, size)) == bits
        assert len(inclusion_ranges(0, size - 1 or 1)) <= bits
