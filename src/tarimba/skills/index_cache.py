"""What an index is made of, kept while it holds: published skills by the space's generation, own ones by their files.

Nothing here is trusted by itself: each read compares the generation, and looks at the files' times and sizes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from tarimba.skills.index import Index, Listed
from tarimba.skills.model import Language
from tarimba.skills.own import Seen
from tarimba.skills.roots import Settled

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
# A thousand skills with long descriptions take some two megabytes.
_SHARED_MAX: Final = 64
_READS_MAX: Final = 512


class Recent(Generic[K, V]):
    """The last used entries; safe for many threads."""

    def __init__(self, entries_max: int) -> None:
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._max = entries_max
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                self.misses += 1
            else:
                self.hits += 1
                self._entries.move_to_end(key)
            return found

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            if len(self._entries) > self._max:
                self._entries.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Shared:
    """The administrators' skills of an agent, with what the space has set, at one generation.

    `skills` are those in force by name; `managed` all that come with the package, also where a published one wins.
    """

    generation: int
    skills: tuple[Listed, ...]
    managed: tuple[Listed, ...]
    language: Language
    limit: int


@dataclass(frozen=True, slots=True)
class Read:
    """The last index of one seat, and what it was rendered from."""

    shared: Shared
    seen: Seen
    settled: Settled
    index: Index


class IndexCache:
    """Shared sets by agent and subscription, own skills by seat, reads by seat and place."""

    def __init__(self) -> None:
        self.shared: Recent[tuple[str, str, str], Shared] = Recent(_SHARED_MAX)
        self.own: Recent[tuple[str, ...], Seen] = Recent(_READS_MAX)
        self.reads: Recent[tuple[str, ...], Read] = Recent(_READS_MAX)

    @property
    def looked_up(self) -> tuple[int, int]:
        """How often the last index of a seat was here, and how often not."""
        return self.reads.hits, self.reads.misses
