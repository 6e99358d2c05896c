"""Keeping the leases of the jobs that one process is at: a handler may wait longer than one lasts."""

from __future__ import annotations

import threading
from functools import partial
from types import TracebackType
from typing import Final, Self

import structlog

from tarimba.clock import SECOND
from tarimba.errors import Refusal
from tarimba.jobs import queue
from tarimba.jobs.model import Job
from tarimba.kernel import Kernel

_BEATS_A_LEASE: Final = 3
_GIVING_SECONDS: Final = 1.0
_log = structlog.get_logger("tarimba.worker")


class Leases:
    """Extends the leases of what was added, in a thread between entering and leaving."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        # A set's own operations are whole, so threads may share it.
        self._held: set[tuple[str, str, str]] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tarimba-leases", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def add(self, job: Job) -> None:
        self._held.add(_key(job))

    def discard(self, job: Job) -> None:
        self._held.discard(_key(job))

    def beat(self) -> None:
        """Extends every lease once."""
        for held in tuple(self._held):
            self._extend(*held)

    def give_back(self) -> None:
        """Lets go of what is still held, so that another process takes it up at once.

        Whoever is at it here can commit nothing more of it. What can't be given back is free when its lease ends.
        """
        for space_id, job_id, holder in tuple(self._held):
            freeing = partial(queue.give_back, job_id=job_id, holder=holder)
            try:
                self._kernel.writer.commit(space_id, freeing, seconds=_GIVING_SECONDS)
            except Refusal as refusal:
                _log.warning("job.not_given_back", job_id=job_id, error=refusal.code)

    def _extend(self, space_id: str, job_id: str, holder: str) -> None:
        job = Job(space_id, job_id, "", {}, 0, holder)
        try:
            self._kernel.writer.commit(space_id, lambda tx: queue.hold(tx, job))
        except Refusal as refusal:
            _log.warning("job.not_extended", job_id=job_id, error=refusal.code)

    def _run(self) -> None:
        while not self._ended.wait(queue.LEASE / SECOND / _BEATS_A_LEASE):
            self.beat()


def _key(job: Job) -> tuple[str, str, str]:
    return job.space_id, job.job_id, job.holder
