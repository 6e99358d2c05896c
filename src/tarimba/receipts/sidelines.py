"""What a batch writes beside its receipts: the notes of blocks seen for the first time, and when keys were used.

Both are kept out of the hot path by remembering what this process has written already. Forgetting it costs one
statement, never a wrong row.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from tarimba.clock import SECOND
from tarimba.receipts.model import Recorded
from tarimba.receipts.pending import Pending, PendingRead
from tarimba.storage import Head
from tarimba.storage.dialects import insert_new
from tarimba.storage.tables import agent_key, block_notes

USED_EVERY = 60 * SECOND
REMEMBERED_MAX = 10_000


class Sidelines:
    """The memory of one writer."""

    def __init__(self) -> None:
        self._blocks: set[tuple[str, str]] = set()
        self._used: dict[str, int] = {}

    def write(self, connection: Connection, head: Head, batch: Iterable[Pending]) -> None:
        reads = [p for p in batch if isinstance(p, PendingRead) and isinstance(p.outcome, Recorded)]
        # Most of a batch are the same few blocks and keys: a set costs less than asking for each read.
        for notes in {read.notes for read in reads if read.notes is not None}:
            self._remember_block(connection, head.space_id, *notes)
        for key_id in {read.key_id for read in reads if read.key_id is not None}:
            self._remember_use(connection, head, key_id)

    def _remember_block(self, connection: Connection, space_id: str, etag: str, notes: str) -> None:
        if (space_id, etag) in self._blocks:
            return
        row = {"space_id": space_id, "etag": etag, "notes": notes}
        connection.execute(insert_new(connection, block_notes, row))
        if len(self._blocks) >= REMEMBERED_MAX:
            self._blocks.clear()
        self._blocks.add((space_id, etag))

    def _remember_use(self, connection: Connection, head: Head, key_id: str) -> None:
        if head.now - self._used.get(key_id, 0) < USED_EVERY:
            return
        if len(self._used) >= REMEMBERED_MAX:
            self._used.clear()
        self._used[key_id] = head.now
        mine = (agent_key.c.space_id == head.space_id) & (agent_key.c.key_id == key_id)
        connection.execute(agent_key.update().where(mine).values(last_used_at=head.now))
