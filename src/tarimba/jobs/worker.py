"""The worker: takes one job that is due, does it, and says what became of it.

A job is taken under the lock of its space, so that threads and processes never do one at the same time. What a
handler does is committed together with the end of its job; if that never comes, the lease runs out and somebody
else begins again. No job is dropped: one that keeps failing waits longer each time and shows why.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import structlog
from sqlalchemy import Row

from tarimba.clock import SECOND
from tarimba.errors import Refusal
from tarimba.ids import new_id
from tarimba.jobs import queue, store
from tarimba.jobs.model import Handler, Job, Later, LeaseLostError
from tarimba.jobs.rules import backoff
from tarimba.kernel import Kernel
from tarimba.storage import Tx

IDLE_SECONDS: Final = 0.5
DRAIN_SECONDS: Final = 10.0
_BEATS_A_LEASE: Final = 3
_LOOKED_AT: Final = 16
_log = structlog.get_logger("tarimba.worker")


class Worker:
    """Does the jobs of every space whose kind is a key of `handlers`, in `threads` threads once started."""

    def __init__(self, kernel: Kernel, handlers: Mapping[str, Handler], *, threads: int = 2) -> None:
        self._kernel = kernel
        self._handlers = handlers
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, name=f"tarimba-worker-{number}", daemon=True)
            for number in range(threads)
        ]
        self._heart = threading.Thread(target=self._beat_on, name="tarimba-worker-leases", daemon=True)
        # A set's own operations are whole; what is in it is what this process works on.
        self._under_way: set[tuple[str, str, str]] = set()

    def start(self) -> None:
        for thread in (*self._threads, self._heart):
            thread.start()

    def stop(self, drain_seconds: float = DRAIN_SECONDS) -> None:
        """Takes no new job and waits for those under way. What is not done by then is free when its lease ends."""
        self._stop.set()
        until = time.monotonic() + drain_seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        self._ended.set()
        self._heart.join()

    def piece(self) -> bool:
        """Does one job that is due, in the calling thread. Whether there was one."""
        held = self._taken()
        if held is None:
            return False
        mine = (held.space_id, held.job_id, held.leased_by)
        self._under_way.add(mine)
        try:
            self._settle(held, self._outcome(held))
        finally:
            self._under_way.discard(mine)
        return True

    def beat(self) -> None:
        """Extends the leases of the jobs under way: a handler may wait for a model longer than one lasts."""
        for space_id, job_id, holder in tuple(self._under_way):
            self._extend(space_id, job_id, holder)

    def _taken(self) -> Row[Any] | None:
        kernel, holder = self._kernel, new_id()
        with kernel.database.read() as connection:
            found = store.due(connection, list(self._handlers), kernel.clock.now_us(), _LOOKED_AT)
        for space_id, job_id in found:
            held = kernel.writer.commit(space_id, _take(job_id, holder))
            if held is not None:
                return held
        return None

    def _outcome(self, held: Row[Any]) -> Later | Exception | None:
        try:
            payload = json.loads(held.payload)
            job = Job(held.space_id, held.job_id, held.kind, payload, held.attempts, held.leased_by)
            return self._handlers[held.kind](self._kernel, job)
        except LeaseLostError:
            _log.info("job.lost", kind=held.kind, job_id=held.job_id)
            return None
        except Exception as error:  # noqa: BLE001 - the job says that it failed, and is tried again
            _log.warning("job.failed", kind=held.kind, job_id=held.job_id, error=type(error).__name__)
            return error

    def _settle(self, held: Row[Any], outcome: Later | Exception | None) -> None:
        if outcome is not None:
            self._kernel.writer.commit(held.space_id, lambda tx: _let_go(tx, held, outcome))

    def _extend(self, space_id: str, job_id: str, holder: str) -> None:
        try:
            self._kernel.writer.commit(
                space_id, lambda tx: store.hold(tx, job_id, holder, tx.now + queue.LEASE)
            )
        except Refusal as refusal:
            _log.warning("job.not_extended", job_id=job_id, error=refusal.code)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                more = self.piece()
            except Exception as error:  # noqa: BLE001 - a database that is away now answers again
                _log.warning("worker.failed", error=type(error).__name__)
                more = False
            if not more:
                self._stop.wait(IDLE_SECONDS)

    def _beat_on(self) -> None:
        while not self._ended.wait(queue.LEASE / SECOND / _BEATS_A_LEASE):
            self.beat()


def _take(job_id: str, holder: str) -> Callable[[Tx], Row[Any] | None]:
    return lambda tx: store.take(tx, job_id, holder, tx.now + queue.LEASE)


def _let_go(tx: Tx, held: Row[Any], outcome: Later | Exception) -> None:
    if isinstance(outcome, Later):
        payload = None if outcome.payload is None else json.dumps(dict(outcome.payload))
        attempts = held.attempts + 1 if outcome.problem else 0
        store.postpone(tx, held, tx.now + outcome.wait_us, payload, outcome.problem, attempts)
        return
    problem, wait = "internal_error", backoff(held.attempts)
    if isinstance(outcome, Refusal):
        problem, wait = outcome.code, max(wait, (outcome.retry_after or 0) * SECOND)
    store.postpone(tx, held, tx.now + wait, None, problem, held.attempts + 1)
