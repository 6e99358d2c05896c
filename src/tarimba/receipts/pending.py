"""Requests that wait for the writer, and how they are woken.

A coroutine waits on a future of its loop: the writer wakes the loop once for a whole batch. A thread waits on
a lock, the cheapest thing that blocks.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from tarimba.errors import Refusal
from tarimba.receipts.model import Recorded
from tarimba.storage import Entry, Head, Tx
from tarimba.storage.engine import available

# How long a request waits for its batch, whatever became of the database.
WAIT_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Stale:
    """A read was answered from a cache that the head says is old: read again."""

    generation: int


class Pending:
    """One request in the queue. `outcome` is set when its batch has committed or failed."""

    __slots__ = ("future", "lock", "loop", "outcome", "space_id")

    def __init__(self, space_id: str, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.space_id = space_id
        self.outcome: Any = None
        self.loop = loop
        self.future: asyncio.Future[None] | None = loop.create_future() if loop else None
        self.lock = threading.Lock()
        if loop is None:
            self.lock.acquire()

    def apply(self, connection: Connection, head: Head) -> None:
        """Does the request's part of the batch. Sets `outcome`; raises only what dooms the whole batch."""
        raise NotImplementedError  # pragma: no cover

    def wait(self, seconds: float) -> bool:
        """Blocks the thread until the outcome is there. False when the time is up."""
        return self.lock.acquire(timeout=seconds)

    def __await__(self) -> Any:
        assert self.future is not None
        return self.future.__await__()


class PendingRead(Pending):
    """The receipt of a read. `generation` and `expires_at` say until when its cached answer is valid."""

    __slots__ = ("entry", "expires_at", "generation", "key_id", "notes")

    def __init__(
        self,
        space_id: str,
        entry: Entry,
        *,
        generation: int | None = None,
        expires_at: int | None = None,
        notes: tuple[str, str] | None = None,
        key_id: str | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(space_id, loop)
        self.entry = entry
        self.generation = generation
        self.expires_at = expires_at
        self.notes = notes
        self.key_id = key_id

    def apply(self, connection: Connection, head: Head) -> None:
        del connection  # the receipt reaches the database with the head's bundle
        moved = self.generation is not None and self.generation != head.generation
        if moved or (self.expires_at is not None and self.expires_at <= head.now):
            self.outcome = Stale(head.generation)
        else:
            head.entries.append(self.entry)
            self.outcome = Recorded(self.entry.receipt_id, head.size, self.entry.leaf.hex())
            head.size += 1
            head.dirty = True


class PendingAct(Pending):
    """A use case's commit part, run in a savepoint of its own."""

    __slots__ = ("before", "work")

    def __init__(
        self,
        space_id: str,
        work: Callable[[Tx], Any],
        before: Callable[[Connection], None] | None = None,
    ) -> None:
        super().__init__(space_id)
        self.work = work
        self.before = before

    def apply(self, connection: Connection, head: Head) -> None:
        savepoint = connection.begin_nested()
        tx = Tx(connection, head)
        try:
            with available():
                result = self.work(tx)
            tx.release()
        except Exception as error:  # noqa: BLE001 - handed to who waits, not swallowed
            # The refusal belongs to this request alone: its savepoint goes, the batch goes on.
            savepoint.rollback()
            self.outcome = error
            return
        savepoint.commit()
        self.outcome = (result,)


def too_long() -> Refusal:
    """503 for who has waited `WAIT_SECONDS`. What they asked for may be durable all the same."""
    return Refusal("unavailable", "The database took too long. The change may still arrive.", retry_after=5)


def wake(batch: Iterable[Pending]) -> None:
    """Wakes everybody in the batch: threads one by one, each event loop once."""
    loops: dict[asyncio.AbstractEventLoop, list[Pending]] = {}
    for pending in batch:
        if pending.loop is None:
            pending.lock.release()
        else:
            loops.setdefault(pending.loop, []).append(pending)
    for loop, waiting in loops.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_set_all, waiting)


def _set_all(waiting: list[Pending]) -> None:
    for pending in waiting:
        # A client that has gone away cancelled its future; its receipt stays.
        if pending.future is not None and not pending.future.done():
            pending.future.set_result(None)
