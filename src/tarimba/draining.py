"""Ending in time: what a process that was told to stop has left."""

from __future__ import annotations

import time
from typing import Final

DRAIN_SECONDS: Final = 15.0


class Draining:
    """Whether this process was told to stop, and the seconds that it has from then on for all that is under way.

    `begin` only sets a number, so that a signal handler may call it whatever it interrupts.
    """

    def __init__(self, seconds: float = DRAIN_SECONDS) -> None:
        self._seconds = seconds
        self._until: float | None = None

    def begin(self) -> None:
        """Told to stop. A second time changes nothing."""
        if self._until is None:
            self._until = time.monotonic() + self._seconds

    def hurry(self) -> None:
        """Told again: nothing is waited for any more."""
        self._until = time.monotonic()

    @property
    def is_on(self) -> bool:
        return self._until is not None

    def left(self, most: float = DRAIN_SECONDS) -> float:
        """Seconds left, at most `most`: what one part may wait for its own. All of it before `begin`."""
        return most if self._until is None else max(0.0, min(most, self._until - time.monotonic()))
