"""One page of what a search found: as many entities as fit into an answer, and the relations that touch them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import Connection

from tarimba.graph import store
from tarimba.graph.finding import Finding, Found, is_empty
from tarimba.graph.fitting import Page
from tarimba.graph.matching import Question
from tarimba.graph.model import Entity, Observation, Relation, Scope
from tarimba.graph.rows import EntityRow, Graph, ObservationRow, RelationRow
from tarimba.graph.rules import fraction, key_of
from tarimba.notes.words import Words

START: Final = -1
"""The place of a page that is the first."""
_RELATIONS_MAX: Final = 200
# Of an answer's room, what entities leave to relations.
_RELATIONS_ROOM: Final = 2_000


class FoundPage:
    """`ends_at` is the place behind which the next page goes on, None at the end."""

    def __init__(
        self, connection: Connection, words: Words, scope: Scope, limit: int, observations: int
    ) -> None:
        self._connection = connection
        self._words = words
        self._at = store.graph_of(connection, scope)
        self._limit = limit
        self._most = observations
        self._page = Page("plain", limit + _RELATIONS_MAX)
        self._is_short = False
        self.ends_at: int | None = None

    @property
    def entities(self) -> tuple[Entity, ...]:
        return tuple(self._page.entities)

    @property
    def relations(self) -> tuple[Relation, ...]:
        return tuple(self._page.relations)

    @property
    def is_cut(self) -> bool:
        """Whether more was found than is shown: entities, their due observations, or relations."""
        return self.ends_at is not None or self._is_short

    def fill(self, asked: Question, place: int) -> None:
        """Shows what the question finds behind a place."""
        if self._at is None or is_empty(asked):
            return
        finding = Finding(self._connection, self._at, self._words, asked)
        self._page.room -= _RELATIONS_ROOM
        for found in finding.after(place):
            if len(self._page.entities) == self._limit or not self._takes(finding, found):
                self.ends_at = place
                break
            place = found.place
        self._page.room += _RELATIONS_ROOM
        self._relate(self._at)

    def _takes(self, finding: Finding, found: Found) -> bool:
        """Shows the entity. One that has no place for all that is due begins a page, and is cut only there."""
        due = entity_of(found.row, finding.best(found, self._most))
        if self._page.take(due):
            return True
        if self._page.entities:
            return False
        self._is_short = True
        return self._page.take(self._page.shorten(due))

    def _relate(self, at: Graph) -> None:
        names = [entity.name for entity in self._page.entities]
        rows = store.relations_touching(self._connection, at, names, limit=_RELATIONS_MAX + 1)
        shown = relations_of(self._connection, at, rows[:_RELATIONS_MAX])
        self._is_short |= not all(map(self._page.relate, shown)) or len(rows) > _RELATIONS_MAX


def entity_of(row: EntityRow, observations: Iterable[ObservationRow]) -> Entity:
    """An active entity with these of its observations."""
    shown = tuple(
        Observation(
            one.observation_no, one.content, fraction(one.confidence), one.conversation_id, one.created_at
        )
        for one in observations
    )
    when = (row.conversation_id, row.created_at, row.changed_at)
    return Entity(row.entity_no, row.name, row.entity_type, row.status, None, *when, shown, row.observations)


def relations_of(connection: Connection, at: Graph, rows: Sequence[RelationRow]) -> list[Relation]:
    """The relations, with what is known of their ends."""
    ends = dict.fromkeys(name for row in rows for name in (row.from_name, row.to_name))
    there = store.statuses(connection, at, ends)
    missing = {name for name in ends if there.get(key_of(name), "merged") == "merged"}
    return [
        Relation(
            row.relation_no,
            *row.triple,
            row.conversation_id,
            row.created_at,
            not missing.isdisjoint((row.from_name, row.to_name)),
        )
        for row in rows
    ]
