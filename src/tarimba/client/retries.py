"""When to ask again, and after how long. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from tarimba.client.errors import TarimbaError


@dataclass(frozen=True, slots=True)
class Retries:
    """At most `attempts` requests for one call; pauses double from `first` up to `longest` seconds.

    Jitter takes between half and all of a pause, so that the agents of a fleet don't come back together.
    """

    attempts: int = 4
    first: float = 0.05
    longest: float = 1.0

    def pause(self, error: TarimbaError, made: int, left: float, draw: float) -> float | None:
        """Seconds to wait before the next attempt, or None to give up.

        `made` attempts failed, the last one with `error`; `left` seconds remain; `draw` is random in 0..1.
        """
        if not error.passing or made >= self.attempts:
            return None
        own = min(self.longest, self.first * 2.0 ** (made - 1)) * (0.5 + draw / 2)
        # What the server asks for is the least; jitter comes on top of it.
        wait = own if error.retry_after is None else error.retry_after + own * draw
        return wait if wait < left else None
