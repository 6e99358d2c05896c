"""Group commit: many requests, one transaction, one fsync.

A request hands in its part and waits. One thread takes everything that has gathered, runs it under the locks of
the spaces concerned, each act in a savepoint of its own, and commits once. Nobody is answered before that.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from itertools import groupby
from typing import Any, TypeVar

import structlog
from sqlalchemy import Connection

from tarimba.clock import Clock
from tarimba.errors import Refusal
from tarimba.receipts.merkle import Frontier
from tarimba.receipts.model import Recorded
from tarimba.receipts.pending import WAIT_SECONDS, Pending, PendingAct, PendingRead, too_long, wake
from tarimba.receipts.seal import seal
from tarimba.receipts.sidelines import Sidelines
from tarimba.storage import Database, Entry, Head, Tx
from tarimba.storage.heads import flush_head, lock_head
from tarimba.telemetry import Telemetry
from tarimba.turns import Turns
from tarimba.vault import SpaceKey

T = TypeVar("T")

BATCH_MAX = 256
BATCH_SECONDS = 0.05
_log = structlog.get_logger("tarimba.writer")


class GroupCommit:
    """The only writer of one process. `keys` gives the key of a space (for the seal of its log)."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        keys: Callable[[str], SpaceKey],
        *,
        queue_max: int = 2048,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._keys = keys
        self._queue_max = queue_max
        self._queue: Turns[Pending] = Turns(queue_max)
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._sidelines = Sidelines()
        self._times: dict[str, int] = {}
        self._telemetry = telemetry or Telemetry()

    def now(self, space_id: str) -> int:
        """The time of a space as far as this process knows, in microseconds: a clock set back stands still."""
        return max(self._clock.now_us(), self._times.get(space_id, 0))

    @property
    def is_busy(self) -> bool:
        """Whether requests are queueing: what can wait should."""
        return len(self._queue) > 4

    @property
    def queued(self) -> int:
        """Requests that wait for their batch."""
        return len(self._queue)

    @property
    def is_alive(self) -> bool:
        """Whether there is a thread that writes, and it takes requests."""
        return self._thread is not None and self._thread.is_alive() and not self._stopping

    @property
    def is_full(self) -> bool:
        return len(self._queue) >= self._queue_max

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="tarimba-writer", daemon=True)
        self._thread.start()

    def stop(self, seconds: float | None = None) -> None:
        """Commits what is queued, then ends the thread. A database that hangs is waited for so long, if given."""
        self._stopping = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def submit(self, pending: Pending) -> None:
        """Queues a request without waiting. Raises 503 `unavailable` when the queue is full."""
        if self._stopping or not self._queue.put(pending.space_id, pending):
            self._telemetry.metrics.dropped.inc()
            raise Refusal(
                "unavailable", "The server has too much to write right now. Try again.", retry_after=1
            )
        if not self._wake.is_set():
            self._wake.set()

    def commit(
        self,
        space_id: str,
        work: Callable[[Tx], T],
        *,
        before: Callable[[Connection], None] | None = None,
        seconds: float = WAIT_SECONDS,
    ) -> T:
        """Runs `work` under the lock of the space and returns its result once it is durable.

        Raises what `work` raises (nothing of it is stored then) and 503 `unavailable`, at the latest after `seconds`.
        `before` runs in the same transaction ahead of the lock: the row to be locked is made there.
        """
        result: T = self._finish(PendingAct(space_id, work, before), seconds)[0]
        return result

    def append(self, space_id: str, entry: Entry) -> Recorded:
        """Appends the receipt of a read and returns once it is durable."""
        recorded: Recorded = self._finish(PendingRead(space_id, entry))
        return recorded

    def _finish(self, pending: Pending, seconds: float = WAIT_SECONDS) -> Any:
        self.submit(pending)
        with self._telemetry.tracing.span("writer.wait"):
            is_done = pending.wait(seconds)
        if not is_done:
            raise too_long()
        if isinstance(pending.outcome, Exception):
            raise pending.outcome
        return pending.outcome

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._queue:
                self._run_batch()
            if self._stopping:
                return

    def _run_batch(self) -> None:
        batch = self._queue.take(BATCH_MAX)
        groups = {of: list(group) for of, group in groupby(sorted(batch, key=_space_of), key=_space_of)}
        done: list[Pending] = []
        receipts = 0
        metrics = self._telemetry.metrics
        try:
            with (
                self._telemetry.tracing.span("writer.batch", batch_requests=len(batch)),
                metrics.commit_seconds.time(),
                self._database.write() as connection,
            ):
                # Always in the order of the space's id: two processes can't wait for each other.
                for space_id, group in groups.items():
                    # Everybody waits for the one commit: together they take no longer than one may.
                    seconds = BATCH_SECONDS / len(groups)
                    receipts += self._run_space(connection, space_id, group, done, seconds)
        except Exception as error:  # noqa: BLE001 - every request of the batch is told
            metrics.failed_batches.inc()
            self._fail(batch, error)
            done = batch
        else:
            finished = {id(pending) for pending in done}
            for space_id, group in groups.items():
                self._queue.put_back(space_id, (one for one in group if id(one) not in finished))
            metrics.batch_size.observe(len(done))
            metrics.receipts.inc(receipts)
        wake(done)

    def _run_space(
        self,
        connection: Connection,
        space_id: str,
        group: list[Pending],
        done: list[Pending],
        seconds: float,
    ) -> int:
        """The part of one space. Returns how many receipts it appended."""
        for pending in group:
            if isinstance(pending, PendingAct) and pending.before is not None:
                pending.before(connection)
        try:
            head = lock_head(connection, space_id, self._clock)
        except Refusal as refusal:
            self._fail(group, refusal)
            done.extend(group)
            return 0
        self._times[space_id] = head.now
        first_seq = head.size
        started = time.monotonic()
        for pending in group:
            pending.apply(connection, head)
            done.append(pending)
            # A batch holds the lock of the space: what is left over takes the next one.
            if time.monotonic() - started > seconds:
                break
        self._sidelines.write(connection, head, group)
        self._flush(connection, head, first_seq)
        return head.size - first_seq

    def _flush(self, connection: Connection, head: Head, first_seq: int) -> None:
        if not head.dirty:
            return
        frontier = Frontier.from_bytes(head.frontier).extend([entry.leaf for entry in head.entries])
        key = self._keys(head.space_id)
        flush_head(connection, head, first_seq, frontier.to_bytes(), seal(key, head.size, frontier.root()))

    def _fail(self, batch: list[Pending], error: Exception) -> None:
        # What the batch wrote is gone with it, so what we remember having written may be gone too.
        self._sidelines = Sidelines()
        if not isinstance(error, Refusal):
            # The type and the place, never the message: a driver's message may quote parameters.
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{where.name}:{where.lineno}"
            _log.error("writer.batch_failed", error=type(error).__name__, place=place, requests=len(batch))
            error = Refusal("internal_error", "The change could not be stored. Nothing of it was kept.")
        for pending in batch:
            pending.outcome = error


def _space_of(pending: Pending) -> str:
    return pending.space_id
