"""What of a read fits into one answer: measured as it is written. Pure.

Harnesses cut or divert a result above 16,000 characters, so an answer ends before 12,000 and says where it goes on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tarimba.graph import wire
from tarimba.graph.model import Entity, Observation, Relation
from tarimba.graph.wire import View

READ_MAX: Final = 12_000
# Braces, names of members, a cursor, and what says that an entity is continued.
_ENVELOPE: Final = 600
ROOM: Final = READ_MAX - _ENVELOPE


@dataclass(slots=True)
class Page:
    """One answer as it fills: at most `limit` entities and relations, and what fits into `room` characters."""

    view: View
    limit: int
    room: int = ROOM
    entities: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.entities or self.relations)

    @property
    def is_full(self) -> bool:
        return len(self.entities) + len(self.relations) >= self.limit

    def take(self, entity: Entity) -> bool:
        """Takes the entity as it is, if it fits."""
        size = _size(wire.entity(entity, self.view))
        if self.is_full or size > self.room:
            return False
        self.room -= size
        self.entities.append(entity)
        return True

    def relate(self, relation: Relation) -> bool:
        """Takes the relation, if it fits."""
        size = _size(wire.relation(relation, self.view))
        if self.is_full or size > self.room:
            return False
        self.room -= size
        self.relations.append(relation)
        return True

    def shorten(self, entity: Entity) -> Entity:
        """The entity with as many of its first observations as fit."""
        left = self.room - _size(wire.entity(replace(entity, observations=()), self.view))
        count = _count(entity.observations, left, self.view)
        return replace(entity, observations=entity.observations[:count])

    def take_some(self, entity: Entity) -> None:
        """Takes as many of its first observations as fit into an empty page; of the first at least the beginning."""
        shown = self.shorten(entity)
        if entity.observations and not shown.observations:
            self.cut(entity)
        else:
            self.take(shown)

    def cut(self, entity: Entity) -> int:
        """Takes what fits of the first observation's text alone. Returns how many characters that were."""
        first = entity.observations[0]
        bare = replace(entity, observations=(), is_cut=True)
        left = self.room - _size(wire.entity(bare, self.view)) - _cost(replace(first, text=""), self.view)
        kept = _prefix(first.text, left)
        self.take(replace(bare, observations=(replace(first, text=kept),)))
        return len(kept)


def _count(observations: Sequence[Observation], left: int, view: View) -> int:
    for count, one in enumerate(observations):
        left -= _cost(one, view)
        if left < 0:
            return count
    return len(observations)


def _cost(one: Observation, view: View) -> int:
    return _size(one.text) + (_size(wire.source(one)) if view == "whole" else 0)


def _prefix(text: str, room: int) -> str:
    """The longest beginning of the text that is no longer than this when it is written; at least a character."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if _size(text[:middle]) - _size("") <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def _size(value: Any) -> int:
    """Characters of the value as it is written, and of the comma behind it."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) + 1
