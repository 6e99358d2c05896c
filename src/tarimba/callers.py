"""What is known of a caller before anybody asks the database: the pace of their key, and whose it was last time."""

from __future__ import annotations

import hashlib
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from tarimba.errors import Refusal

# How far a key may be ahead of its pace: a fleet that starts asks for everything at once.
BURST_SECONDS: Final = 2.0
KEYS_MAX: Final = 10_000


class Callers:
    """The keys that ask one process. Use it on the event loop; `learn` may be called from any thread.

    `per_second` reads are a key's pace (0: any), counted exactly in this process (the generic cell rate algorithm,
    ITU-T I.371): what is kept of a key is the moment at which it is back on its pace. A key that is back needs
    no keeping. `clock` gives seconds.
    """

    def __init__(self, per_second: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = 1 / per_second if per_second else 0.0
        self._clock = clock
        self._back: dict[bytes, float] = {}
        self._spaces: OrderedDict[bytes, str] = OrderedDict()

    def admit(self, key: bytes) -> None:
        """Counts a read of the key. Raises 429 `rate_limited` when it is too far ahead; that one is not counted."""
        if not self._interval:
            return
        now = self._clock()
        back = max(self._back.get(key, 0.0), now)
        if back - now > BURST_SECONDS:
            wait = math.ceil(back - now - BURST_SECONDS)
            raise Refusal(
                "rate_limited", "This key reads too often. Wait before you try again.", retry_after=wait
            )
        if len(self._back) >= KEYS_MAX and key not in self._back:
            self._forget(now)
        self._back[key] = back + self._interval

    def space_of(self, key: bytes) -> str:
        """The space of a key that was let in before; empty of any other, who share one turn."""
        return self._spaces.get(key, "")

    def learn(self, key: bytes, space_id: str) -> None:
        """A key was let in."""
        if self._spaces.get(key) == space_id:
            return
        self._spaces[key] = space_id
        if len(self._spaces) > KEYS_MAX:
            self._spaces.popitem(last=False)

    def _forget(self, now: float) -> None:
        """Makes room: keys that are back on their pace go; were there none, the one that is back first."""
        self._back = {key: back for key, back in self._back.items() if back > now}
        if len(self._back) >= KEYS_MAX:
            del self._back[min(self._back, key=self._back.__getitem__)]


def known_by(bearer: str) -> bytes:
    """What stands for a bearer string here: its digest, since no secret is kept in memory."""
    return hashlib.sha256(bearer.encode()).digest()
