"""How long a call may take, all of it: waiting for a connection, every attempt, the pauses, the slowest body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budgets:
    """Seconds for the whole of each kind of call. The block stands in the way of every turn of an agent."""

    block: float = 0.3
    search: float = 0.6
    remember: float = 5.0
    # Calls of `client.api`, which stand in the way of no turn.
    manage: float = 30.0
    # Nobody waits for it: what was recorded is sent in the background.
    batch: float = 120.0


class Deadline:
    """The moment at which a call is over, on a monotonic clock in seconds."""

    __slots__ = ("_at", "_clock")

    def __init__(self, clock: Callable[[], float], seconds: float) -> None:
        self._clock = clock
        self._at = clock() + seconds

    def left(self) -> float:
        """Seconds that are left; zero when the time is over."""
        return max(0.0, self._at - self._clock())
