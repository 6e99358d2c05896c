"""One page of what a search found: as many entities as fit into an answer, and the relations that touch them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Final

from sqlalchemy import Connection

from tarimba.graph import store
from tarimba.graph.finding import Finding, Found, is_empty
from tarimba.graph.fitting import Page
from tarimba.graph.matching import Question
from tarimba.graph.model import Entity, Observation, Relation, Scope
from tarimba.graph.places import Place
from tarimba.graph.rows import EntityRow, Graph, ObservationRow, RelationRow
from tarimba.graph.rules import fraction, key_of
from tarimba.notes.words import Words

LIMIT_MAX: Final = 200
"""The most entities of a page."""
_RELATIONS_MAX: Final = 200
# Of an answer's room, what entities leave to relations.
_RELATIONS_ROOM: Final = 2_000


class FoundPage:
    """`goes_on` is where the next page begins, None at the end.

    A place of kind `entities` is behind the one of that place in the order, counted from 1. One of kind `relations` is
    behind the relation `offset` of those that touch what stands behind `number` up to `observation_no`; `since` is 1
    when more entities follow.
    """

    def __init__(
        self, connection: Connection, words: Words, scope: Scope, limit: int, observations: int
    ) -> None:
        self._connection = connection
        self._words = words
        self._at = store.graph_of(connection, scope)
        self._limit = limit
        self._most = observations
        self._page = Page("plain", limit + _RELATIONS_MAX)
        self.goes_on: Place | None = None

    @property
    def entities(self) -> tuple[Entity, ...]:
        return tuple(self._page.entities)

    @property
    def relations(self) -> tuple[Relation, ...]:
        return tuple(self._page.relations)

    def fill(self, asked: Question, place: Place, *, with_relations: bool) -> None:
        """Shows what the question finds behind a place."""
        if self._at is None or is_empty(asked):
            return
        finding = Finding(self._connection, self._at, self._words, asked)
        if place.kind == "relations":
            self._relate(self._at, _names(finding, place), place)
            return
        ends_at, has_more = self._fill(finding, place.number - 1)
        if with_relations:
            names = [entity.name for entity in self._page.entities]
            self._relate(self._at, names, Place("relations", place.number, ends_at + 1, 0, int(has_more)))
        elif has_more:
            self.goes_on = Place("entities", ends_at + 1)

    def _fill(self, finding: Finding, behind: int) -> tuple[int, bool]:
        """Shows entities. Returns the place of the last, and whether there are more."""
        self._page.room -= _RELATIONS_ROOM
        has_more = False
        for found in finding.after(behind):
            has_more = len(self._page.entities) == self._limit or not self._takes(finding, found)
            if has_more:
                break
            behind = found.place
        self._page.room += _RELATIONS_ROOM
        return behind, has_more

    def _takes(self, finding: Finding, found: Found) -> bool:
        """Shows the entity. One that has no place for all that is due begins a page, and is cut only there."""
        due = entity_of(found.row, finding.best(found, self._most))
        if self._page.take(due):
            return True
        if self._page.entities:
            return False
        self._page.take_some(due)
        return True

    def _relate(self, at: Graph, names: Sequence[str], place: Place) -> None:
        """Shows relations of the entities behind `place`, and where the rest of them or the next entities are."""
        last = place.offset
        rows = store.relations_touching(self._connection, at, names, after=last, limit=_RELATIONS_MAX + 1)
        for shown in relations_of(self._connection, at, rows[:_RELATIONS_MAX]):
            if not self._page.relate(shown):
                self.goes_on = replace(place, offset=last)
                return
            last = shown.relation_no
        if len(rows) > _RELATIONS_MAX:
            self.goes_on = replace(place, offset=last)
        elif place.since:
            self.goes_on = Place("entities", place.observation_no)


def _names(finding: Finding, place: Place) -> list[str]:
    """The names of what was shown from one place to another."""
    found = takewhile(lambda one: one.place < place.observation_no, finding.after(place.number - 1))
    return [one.row.name for one in islice(found, LIMIT_MAX)]


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
