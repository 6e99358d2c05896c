"""The worker: takes one job that is due, does it, and says what became of it.

A job is taken under the lock of its space, so that threads and processes never do one at the same time. What a
handler does is committed together with the end of its job; if that never comes, the lease runs out and somebody
else begins again. No job is dropped: one that keeps failing waits longer each time and shows why.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import structlog
from sqlalchemy import Row

from tarimba.clock import SECOND
from tarimba.errors import Refusal
from tarimba.ids import new_id
from tarimba.jobs import queue, store
from tarimba.jobs.leases import Leases
from tarimba.jobs.model import Handler, Job, Later, LeaseLostError
from tarimba.jobs.rules import backoff
from tarimba.kernel import Kernel
from tarimba.storage import Tx

IDLE_SECONDS: Final = 0.5
DRAIN_SECONDS: Final = 10.0
# Jobs take at most this part of a processor's time in a process that also serves: requests come first.
SHARE: Final = 0.3
_LOOKED_AT: Final = 16
_log = structlog.get_logger("tarimba.worker")


class Worker:
    """Does the jobs of every space whose kind is a key of `handlers`, in `threads` threads once started.

    Kinds in `slow` wait for somebody outside: the first thread leaves them to the others, so that an erasure never
    stands behind a model; a lone thread does all. Spaces take turns. `share` is the part of a processor's time that all
    take at most.
    """

    def __init__(
        self,
        kernel: Kernel,
        handlers: Mapping[str, Handler],
        *,
        slow: Collection[str] = (),
        threads: int = 2,
        share: float = SHARE,
    ) -> None:
        self._kernel = kernel
        self._handlers = handlers
        self._kinds = list(handlers)
        self._quick = [kind for kind in handlers if kind not in slow]
        # When each of the spaces that wait had its last turn.
        self._turns: dict[str, int] = {}
        self._turn = itertools.count(1)
        self._share = share / threads
        self._stop = threading.Event()
        self._leases = Leases(kernel)
        lanes = [self._quick, *[self._kinds] * (threads - 1)] if threads > 1 else [self._kinds]
        self._threads = [
            threading.Thread(target=self._run, args=(kinds,), name=f"tarimba-worker-{number}", daemon=True)
            for number, kinds in enumerate(lanes)
        ]

    def start(self) -> None:
        self._leases.__enter__()
        for thread in self._threads:
            thread.start()

    def wind_down(self) -> None:
        """Takes no other job."""
        self._stop.set()

    def stop(self, drain_seconds: float = DRAIN_SECONDS) -> None:
        """Takes no new job, waits for those under way, and gives back what is not done by then."""
        self.wind_down()
        until = time.monotonic() + self._kernel.draining.left(drain_seconds)
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        self._leases.__exit__(None, None, None)
        self._leases.give_back()

    def piece(self, *, quick: bool = False) -> bool:
        """Does one job that is due, in the calling thread: a quick one only, if so wanted. Whether there was one."""
        return self._piece(self._quick if quick else self._kinds)

    def _piece(self, kinds: Sequence[str]) -> bool:
        held = self._taken(kinds)
        if held is None:
            return False
        job = Job(held.space_id, held.job_id, held.kind, {}, held.attempts, held.leased_by)
        self._leases.add(job)
        try:
            run(self._kernel, job, self._reading(held.payload))
        finally:
            self._leases.discard(job)
        return True

    def beat(self) -> None:
        """Extends the leases of the jobs under way, as a thread does between `start` and `stop`."""
        self._leases.beat()

    def _reading(self, payload: str) -> Handler:
        """The handler of a job whose payload is yet to be read: one that can't be read is a failure of the job."""
        return lambda kernel, job: self._handlers[job.kind](kernel, replace(job, payload=json.loads(payload)))

    def _taken(self, kinds: Sequence[str]) -> Row[Any] | None:
        kernel = self._kernel
        with kernel.database.read() as connection:
            found = store.due(connection, kinds, kernel.clock.now_us(), _LOOKED_AT)
        turns = self._turns
        self._turns = {space_id: turns.get(space_id, 0) for space_id, _ in found}
        for space_id, job_id in sorted(found, key=lambda one: turns.get(one[0], 0)):
            held = _take(kernel, space_id, job_id)
            if held is not None:
                self._turns[space_id] = next(self._turn)
                return held
        return None

    def _run(self, kinds: Sequence[str]) -> None:
        while not self._stop.is_set():
            before = time.thread_time()
            try:
                more = self._piece(kinds)
            except Exception as error:  # noqa: BLE001 - a database that is away now answers again
                _log.warning("worker.failed", error=type(error).__name__)
                more = False
            spent = time.thread_time() - before
            self._stop.wait(spent * (1 - self._share) / self._share if more else IDLE_SECONDS)


def run(kernel: Kernel, job: Job, handler: Handler) -> None:
    """Does a job that the caller holds, in the calling thread: what it fails with is the job's, not the caller's.

    Raises `unavailable` when what became of it can't be written; the job is then taken up when its lease ends.
    """
    telemetry = kernel.telemetry
    with (
        telemetry.metrics.job_seconds.labels(job.kind).time(),
        telemetry.tracing.span("job", job_kind=job.kind),
    ):
        outcome = _outcome(kernel, job, handler)
    telemetry.metrics.job_outcomes.labels(job.kind, _word(outcome)).inc()
    if outcome is not None:
        kernel.writer.commit(job.space_id, lambda tx: _let_go(tx, job, outcome))


def _take(kernel: Kernel, space_id: str, job_id: str) -> Row[Any] | None:
    holder = new_id()
    return kernel.writer.commit(space_id, lambda tx: store.take(tx, job_id, holder, tx.now + queue.LEASE))


def _outcome(kernel: Kernel, job: Job, handler: Handler) -> Later | Exception | None:
    try:
        return handler(kernel, job)
    except LeaseLostError:
        _log.info("job.lost", kind=job.kind, job_id=job.job_id)
        return None
    except Exception as error:  # noqa: BLE001 - the job says that it failed, and is tried again
        _log.warning("job.failed", kind=job.kind, job_id=job.job_id, error=type(error).__name__)
        return error


def _word(outcome: Later | Exception | None) -> str:
    """What came of a run, for who counts."""
    if outcome is None:
        return "ended"
    return "later" if isinstance(outcome, Later) and outcome.problem is None else "failed"


def _let_go(tx: Tx, job: Job, outcome: Later | Exception) -> None:
    if isinstance(outcome, Later):
        payload = None if outcome.payload is None else json.dumps(dict(outcome.payload))
        attempts = job.attempts + 1 if outcome.problem else 0
        store.postpone(tx, job, tx.now + outcome.wait_us, payload, outcome.problem, attempts)
        return
    problem, wait = "internal_error", backoff(job.attempts)
    if isinstance(outcome, Refusal):
        problem, wait = outcome.code, max(wait, (outcome.retry_after or 0) * SECOND)
    store.postpone(tx, job, tx.now + wait, None, problem, job.attempts + 1)
