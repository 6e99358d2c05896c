"""What a hot read of the block needs, kept while the space's generation stays the same.

Nothing here is trusted by itself: the batch that makes the read durable compares the generation with the head's
and sends the request back when it has moved. So a change by another process or by the CLI is seen at once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from tarimba.blocks.model import Block
from tarimba.identity.model import Principal

# Some 6 KB each with a block of 2,000 tokens.
ENTRIES_MAX = 2048


@dataclass(frozen=True, slots=True)
class BlockQuery:
    """What decides the bytes of a block: budget (None: the space's default), tags, view."""

    max_tokens: int | None = None
    tags: tuple[str, ...] = ()
    view: str | None = None


@dataclass(frozen=True, slots=True)
class HotBlock:
    """A block as it was read, with everything that its answers and receipts repeat, ready as bytes.

    `body` is the JSON answer up to the receipt's id. The `receipt_*` parts are canonical JSON between the
    members that differ from read to read. `expires_at` (microseconds) is when the first note or the key ends.
    """

    principal: Principal
    block: Block
    expires_at: int | None
    body: bytes
    notes_json: str
    receipt_head: str
    receipt_middle: str
    receipt_notes: str
    receipt_tags: str
    receipt_tail: str
    receipt_end: str


class BlockCache:
    """Blocks by (digest of the bearer string, query), least recently used first out."""

    def __init__(self, entries_max: int = ENTRIES_MAX) -> None:
        self._entries: OrderedDict[tuple[bytes, BlockQuery], HotBlock] = OrderedDict()
        self._max = entries_max
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0

    @property
    def looked_up(self) -> tuple[int, int]:
        """How often an answer was here, and how often not."""
        return self._hits, self._misses

    def get(self, bearer: bytes, query: BlockQuery) -> HotBlock | None:
        with self._lock:
            found = self._entries.get((bearer, query))
            if found is None:
                self._misses += 1
            else:
                self._hits += 1
                self._entries.move_to_end((bearer, query))
            return found

    def put(self, bearer: bytes, query: BlockQuery, hot: HotBlock) -> None:
        with self._lock:
            self._entries[(bearer, query)] = hot
            self._entries.move_to_end((bearer, query))
            if len(self._entries) > self._max:
                self._entries.popitem(last=False)
