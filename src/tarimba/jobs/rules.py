"""When a job is tried again. Pure."""

from __future__ import annotations

from typing import Final

_SECOND: Final = 1_000_000
_FIRST: Final = _SECOND
_MOST: Final = 3600 * _SECOND


def backoff(attempts: int) -> int:
    """Microseconds until the next try after `attempts` failed ones before this: 1 s, 4 s, 16 s ... at most an hour."""
    # 4^6 s are above an hour already: the power need not grow with a job that fails for a year.
    return min(_FIRST << 2 * min(attempts, 6), _MOST)
