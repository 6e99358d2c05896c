"""The last good block for each question. No clock and no network: callers say what time it is."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from tarimba.client.models import AgentMemory


def listed(tags: Iterable[str]) -> list[str]:
    """The tags; a lone string counts as one: it is what whoever wrote it meant."""
    return [tags] if isinstance(tags, str) else list(tags)


@dataclass(frozen=True, slots=True)
class BlockKey:
    """What decides a block's bytes, besides the agent. Tags are a set to the server."""

    max_tokens: int
    tags: tuple[str, ...]
    view: str | None

    @classmethod
    def of(cls, max_tokens: int, tags: Iterable[str], view: str | None) -> BlockKey:
        return cls(max_tokens, tuple(sorted(set(listed(tags)))), view)


@dataclass(frozen=True, slots=True)
class Held:
    """A block and the moment (monotonic seconds) at which the server last vouched for it."""

    memory: AgentMemory
    confirmed_at: float


class BlockCache:
    """Holds at most `most` blocks, the least used leave first. Safe to use from many threads."""

    def __init__(self, ttl: float, most: int = 64) -> None:
        self._ttl = ttl
        self._most = most
        self._held: OrderedDict[BlockKey, Held] = OrderedDict()
        self._drops = 0
        self._lock = threading.Lock()

    @property
    def drops(self) -> int:
        """How often the cache was dropped. Take it before asking the server, give it to `put`."""
        return self._drops

    def get(self, key: BlockKey) -> Held | None:
        with self._lock:
            held = self._held.get(key)
            if held is not None:
                self._held.move_to_end(key)
            return held

    def is_fresh(self, held: Held, now: float) -> bool:
        return now - held.confirmed_at < self._ttl

    def put(self, key: BlockKey, held: Held, drops: int) -> None:
        """Keeps a block, unless the cache was dropped while it was under way: it may be older than that."""
        with self._lock:
            if drops != self._drops:
                return
            self._held[key] = held
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)

    def drop(self) -> None:
        """Forgets everything: what the agent may read has changed, or it may read nothing any more."""
        with self._lock:
            self._held.clear()
            self._drops += 1
