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

T = TypeVar("T")
CLOSE_SECONDS: Final = 0.7
Job = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class Threads:
    """Runs blocking work for coroutines.

    The standard library's executor does the same through a second future and a lock for each job, which costs
    about as much as reading a small request. Threads start with the first job.
    """

    def __init__(self, size: int, waiting_max: int, name: str) -> None:
        self._size = size
        self._waiting_max = waiting_max
        self._name = name
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._starting = threading.Lock()
        self._closed = False

    def run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """A future of the running loop with the result of `work`.

        Raises 503 `unavailable` when `waiting_max` jobs wait already, or after `close()`.
        """
        if self._closed or self._jobs.qsize() >= self._waiting_max:
            raise Refusal(
                "unavailable", "The server has too many requests right now. Try again.", retry_after=1
            )
        if not self._threads:
            self._start()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put((work, loop, future))
        return future

    def open(self) -> None:
        """Takes work again after `close()`: an app may be started more than once."""
        self._closed = False

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Takes no more work and gives what is queued so long to end."""
        self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        self._threads = []

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
        while (job := self._jobs.get()) is not None:
            work, loop, future = job
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:  # noqa: BLE001 - whoever awaits the future gets it
                error = raised
            # A loop that was closed meanwhile has nobody left to tell.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_finish, future, result, error)
            # Or this thread would keep the answer alive until its next job.
            del job, work, future, result, error


def _finish(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
