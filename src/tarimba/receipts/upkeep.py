"""Keeping the index of the log close behind it."""

from __future__ import annotations

from tarimba.kernel import Kernel
from tarimba.receipts.index import index, spaces_behind

# A search reads that many receipts of the tail by itself.
TAIL = 256


def catch_up(kernel: Kernel) -> bool:
    """Indexes one piece of each space that trails. Whether some still do. Nothing while requests queue."""
    if kernel.writer.is_busy:
        return False
    remaining = [index(kernel, space_id, chunks_max=1) for space_id in spaces_behind(kernel, TAIL)]
    return any(tail >= TAIL for tail in remaining)
