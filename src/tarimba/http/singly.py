"""Questions that may hang: one thread for everybody who asks, and nobody waits longer than they want to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TimeIsUp
from typing import Generic, TypeVar

T = TypeVar("T")


class Singly(Generic[T]):
    """Runs `work` in a thread of its own, one at a time: who asks while it runs gets what it comes to.

    So a database that hangs holds one thread, however often somebody asks.
    """

    def __init__(self, work: Callable[[], T], name: str) -> None:
        self._work = work
        self._name = name
        self._lock = threading.Lock()
        self._running: Future[T] | None = None

    def wait(self, seconds: float) -> T | None:
        """What it came to; None when it takes longer. Raises what `work` raises."""
        try:
            return self._begun().result(seconds)
        except TimeIsUp:
            return None

    async def answer(self, seconds: float) -> T | None:
        """The same, for coroutines."""
        running = asyncio.wrap_future(self._begun())
        done, _ = await asyncio.wait((running,), timeout=seconds)
        return running.result() if done else None

    def _begun(self) -> Future[T]:
        with self._lock:
            if self._running is None or self._running.done():
                self._running = Future()
                # A daemon: what hangs must not keep the process from ending.
                run = threading.Thread(target=self._run, args=(self._running,), name=self._name, daemon=True)
                run.start()
            return self._running

    def _run(self, future: Future[T]) -> None:
        try:
            future.set_result(self._work())
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            future.set_exception(error)
