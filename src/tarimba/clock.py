"""Time: microseconds since the Unix epoch, in UTC, as integers.

Nothing else in the package reads the clock. Order never comes from here: it is the sequence given under a
space's lock.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR


class Clock:
    """The machine's clock, moved by `offset_us` (tests set it; in service it is 0)."""

    def __init__(self, offset_us: int = 0) -> None:
        self.offset_us = offset_us

    def now_us(self) -> int:
        return time.time_ns() // 1000 + self.offset_us


def rfc3339(at_us: int) -> str:
    """`2026-11-30T12:00:00.000000Z`."""
    moment = datetime.fromtimestamp(at_us // SECOND, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at_us % SECOND:06d}Z"


def from_datetime(moment: datetime) -> int:
    """Microseconds of a moment with time zone. Raises `ValueError` for a naive one."""
    if moment.tzinfo is None:
        raise ValueError("a moment needs a time zone")
    whole = moment.astimezone(UTC)
    return int(whole.replace(microsecond=0).timestamp()) * SECOND + whole.microsecond
