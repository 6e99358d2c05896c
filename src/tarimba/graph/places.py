"""Where a read goes on: the place as a cursor, opaque and good only for the same read by the same caller."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, Literal

from tarimba.graph.acting import Act
from tarimba.pages import read_cursor, write_cursor
from tarimba.vault import SpaceKey

Kind = Literal["entities", "within", "relations"]
_KINDS: Final[tuple[Kind, ...]] = ("entities", "within", "relations")


@dataclass(frozen=True, slots=True)
class Place:
    """Behind what the answer before ended.

    `entities` and `relations`: behind the one of this number. `within`: in the entity of this number, behind the
    observation, and `offset` characters into the next one. `since` is where a list of what is recent ends.
    """

    kind: Kind = "entities"
    number: int = 0
    observation_no: int = 0
    offset: int = 0
    since: int = 0


@dataclass(frozen=True, slots=True)
class Cursors:
    """Writes and reads the cursors of one read."""

    key: SpaceKey
    name: str

    @classmethod
    def of(cls, key: SpaceKey, act: Act, *words: str) -> Cursors:
        """`words` are what else makes the read the same."""
        scope = act.scope
        whose = (scope.subscription_id, scope.source_id, scope.person_id, act.by.actor.id, act.action)
        told = hashlib.sha256("\0".join([*whose, *map(_counted, words)]).encode()).hexdigest()
        return cls(key, f"graph\0{told}")

    def write(self, place: Place) -> str:
        numbers = [place.number * len(_KINDS) + _KINDS.index(place.kind)]
        numbers += [place.observation_no, place.offset, place.since]
        while not numbers[-1] and len(numbers) > 1:
            numbers.pop()
        names = [self._name(numbers[:count]) for count in range(len(numbers))]
        return ".".join(write_cursor(self.key, *pair) for pair in zip(names, numbers, strict=True))

    def read(self, cursor: str | None) -> Place:
        """The place; the beginning where there is no cursor. Raises 422 for one that this read did not give."""
        if cursor is None:
            return Place()
        numbers: list[int] = []
        for part in cursor.split(".", 3):
            numbers.append(read_cursor(self.key, self._name(numbers), part))
        first, observation_no, offset, since = [*numbers, 0, 0, 0][:4]
        number, kind = divmod(first, len(_KINDS))
        return Place(_KINDS[kind], number, observation_no, offset, since)

    def _name(self, before: list[int]) -> str:
        return "\0".join([self.name, *map(str, before)])


def _counted(word: str) -> str:
    """No two lists of words are written the same."""
    return f"{len(word)}:{word}"
