"""A bounded queue in which spaces take turns, so that a busy one makes a quiet one wait for one turn and no more."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Items by their space, in their order within it. Any thread may use it.

    `most` items wait at once. A space that has less than its even share of them may still add when it is full, so
    never more than twice as many wait.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: OrderedDict[str, deque[T]] = OrderedDict()
        self._count = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._count

    def put(self, of: str, item: T) -> bool:
        """False when there is no room for it."""
        with self._lock:
            mine = self._waiting.get(of)
            if self._count >= self._most:
                others = len(self._waiting) - (mine is not None)
                share = self._most // (others + 1)
                if not others or len(mine or ()) >= share or self._count >= 2 * self._most:
                    return False
            if mine is None:
                mine = self._waiting[of] = deque()
            mine.append(item)
            self._count += 1
            return True

    def take(self, most: int) -> list[T]:
        """Up to `most` items: the first of each space, then the second of each ... Empty when none waits."""
        with self._lock:
            taken: list[T] = []
            while self._waiting and len(taken) < most:
                of, mine = self._waiting.popitem(last=False)
                # Alone it has all the turns.
                turns = 1 if self._waiting else most - len(taken)
                taken += [mine.popleft() for _ in range(min(turns, len(mine)))]
                if mine:
                    self._waiting[of] = mine
            self._count -= len(taken)
            return taken

    def put_back(self, of: str, items: Iterable[T]) -> None:
        """What was taken and had no time, in its order, before all else of its space. There is always room for it."""
        back = deque(items)
        if not back:
            return
        with self._lock:
            self._count += len(back)
            self._waiting[of] = back + self._waiting.pop(of, deque())
