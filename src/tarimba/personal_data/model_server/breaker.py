"""A circuit breaker: whoever would wait for a server that has just failed time and again is refused at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

FAILURES_MAX = 5
PAUSE_SECONDS = 5.0


class Breaker:
    """Closed, it admits everybody. It opens after some failures in a row, and then admits one probe a pause.

    A success closes it again. `clock` gives seconds and never goes back.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        failures_max: int = FAILURES_MAX,
        pause: float = PAUSE_SECONDS,
    ) -> None:
        self._clock = clock
        self._failures_max = failures_max
        self._pause = pause
        self._lock = threading.Lock()
        self._failures = 0
        self._next_probe = 0.0

    @property
    def is_open(self) -> bool:
        """Whether callers are refused, but for a probe now and then."""
        return self._failures >= self._failures_max

    def wait(self) -> float:
        """Seconds until it is worth trying again; 0 for whoever may try now and has to `report` how that went."""
        with self._lock:
            if self._failures < self._failures_max:
                return 0.0
            now = self._clock()
            if now < self._next_probe:
                return self._next_probe - now
            # A probe that never reports holds the next one up for a pause and no longer.
            self._next_probe = now + self._pause
            return 0.0

    def report(self, *, is_good: bool) -> None:
        """How a call that was admitted went."""
        with self._lock:
            self._failures = 0 if is_good else self._failures + 1
            if self._failures == self._failures_max:
                self._next_probe = self._clock() + self._pause
