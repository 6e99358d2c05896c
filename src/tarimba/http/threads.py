"""The one hop: a bounded set of threads that serve requests, with a bounded queue before them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from tarimba.errors import Refusal
from tarimba.turns import Turns

T = TypeVar("T")
CLOSE_SECONDS: Final = 0.7
# A caller who has waited that long has gone, or should: the time is better spent on who came since.
QUEUE_SECONDS: Final = 10.0


class Job:
    """Work, and the future that waits for it. It is begun or given up, whichever comes first; never both."""

    __slots__ = ("future", "late", "loop", "unclaimed", "work")

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.unclaimed = [True]
        self.late = self.loop.call_later(QUEUE_SECONDS, self.give_up)

    def claim(self) -> bool:
        """Whether it is the caller's to end. One operation of a list is whole: no two get it."""
        try:
            return self.unclaimed.pop()
        except IndexError:
            return False

    def give_up(self) -> None:
        """On the loop."""
        if self.claim():
            self.end(None, _too_much())

    def end(self, result: Any, error: BaseException | None) -> None:
        """On the loop: tells who waits, if they still do."""
        self.late.cancel()
        if self.future.done():
            return
        if error is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(error)


class Threads:
    """Runs blocking work for coroutines.

    The standard library's executor does the same through a second future and a lock for each job, which costs
    about as much as reading a small request. Threads start with the first job. Spaces take turns; what has not begun
    within `QUEUE_SECONDS` is refused.
    """

    def __init__(self, size: int, waiting_max: int, name: str) -> None:
        self._size = size
        self._name = name
        self._waiting: Turns[Job] = Turns(waiting_max)
        # One ticket for each job that waits; None ends a thread.
        self._tickets: SimpleQueue[bool | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._starting = threading.Lock()
        self._closed = False

    def run(self, work: Callable[[], T], of: str = "") -> asyncio.Future[T]:
        """A future of the running loop with the result of `work`, which is for the space `of` where that is known.

        Raises 503 `unavailable` when `waiting_max` jobs wait already (see `Turns`), or after `close()`.
        """
        if self._closed:
            raise _too_much()
        job = Job(work)
        if not self._waiting.put(of, job):
            job.late.cancel()
            raise _too_much()
        if not self._threads:
            self._start()
        self._tickets.put(True)
        return job.future

    def open(self) -> None:
        """Takes work again after `close()`: an app may be started more than once."""
        self._closed = False

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Takes no more work and gives what is queued so long to end."""
        self.dismiss()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        self._threads = []

    def dismiss(self) -> None:
        """Takes no more work and waits for none, so that any thread may call it."""
        self._closed = True
        for _ in self._threads:
            self._tickets.put(None)

    def _start(self) -> None:
        with self._starting:
            if self._threads:
                return
            # A daemon: a stuck request must not keep the process from ending.
            self._threads = [
                threading.Thread(target=self._serve, name=f"{self._name}-{at}", daemon=True)
                for at in range(self._size)
            ]
            for thread in self._threads:
                thread.start()

    def _serve(self) -> None:
        while self._tickets.get() is not None:
            (job,) = self._waiting.take(1)
            if not job.claim():
                continue
            result, error = None, None
            try:
                result = job.work()
            except BaseException as raised:  # noqa: BLE001 - whoever awaits the future gets it
                error = raised
            # A loop that was closed meanwhile has nobody left to tell.
            with contextlib.suppress(RuntimeError):
                job.loop.call_soon_threadsafe(job.end, result, error)
            # Or this thread would keep the answer alive until its next job.
            del job, result, error


def _too_much() -> Refusal:
    return Refusal("unavailable", "The server has too many requests right now. Try again.", retry_after=1)
