"""One page of a read: entities with what was observed of them, then relations, as far as they fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sqlalchemy import Connection

from tarimba.graph import sources, store
from tarimba.graph.fitting import Page
from tarimba.graph.model import Entity
from tarimba.graph.places import Kind, Place
from tarimba.graph.rows import EntityRow, ObservationRow
from tarimba.graph.sources import Source

_ENTITIES: Final = 60
_RELATIONS: Final = 150
# Relations that are looked through for one page where most are left out.
_LOOKED_AT_MAX: Final = 3_000


@dataclass(slots=True)
class Filling:
    """Fills one page from a source. `most` observations of each entity, None for all of them."""

    connection: Connection
    source: Source
    page: Page
    most: int | None
    since: int = 0
    _merged: dict[int, str] = field(default_factory=dict)

    def fill(self, place: Place) -> Place | None:
        """Fills the page from `place`. Returns where the next one goes on, None at the end."""
        if place.kind == "relations":
            return self._relations(place.number)
        if place.kind == "within":
            goes_on = self._within(place)
            if goes_on is not None:
                return goes_on
        return self._entities(place.number)

    def _entities(self, after: int) -> Place | None:
        while rows := self.source.entities(self.connection, after, _ENTITIES):
            self._merged |= _targets(self.connection, self.source, rows)
            for row, observations in sources.observed(self.connection, self.source.graph, rows, self.most):
                stopped, goes_on = self._entity(row, observations, after)
                if stopped:
                    return goes_on
                after = self.source.place(row)
        return self._relations(0)

    def _entity(
        self, row: EntityRow, observations: Sequence[ObservationRow], after: int
    ) -> tuple[bool, Place | None]:
        """Whether the page ends here, and where the next one goes on."""
        entity = entity_of(row, observations, self._merged)
        is_whole = self.most is not None or len(observations) == row.observations
        if is_whole and self.page.take(entity):
            return False, None
        if not self.page.is_empty:
            return True, self._at("entities", after)
        if self.most is not None:
            # A summary shows the first observations only: fewer of them where they are long.
            self.page.take_some(entity)
            return False, None
        goes_on = self._begun(self.source.place(row), entity)
        return goes_on is not None, goes_on

    def _within(self, place: Place) -> Place | None:
        """Goes on in the entity that the page before ended in. None when that was the rest of it."""
        found = self.source.entities(self.connection, place.number - 1, 1)
        if not found or self.source.place(found[0]) != place.number:
            return None
        row = found[0]
        rows = sources.more_of(self.connection, self.source.graph, row.entity_no, place.observation_no)
        if not rows:
            return None
        if place.offset:
            rows[0] = replace(rows[0], content=rows[0].content[place.offset :])
        self._merged |= _targets(self.connection, self.source, [row])
        entity = replace(entity_of(row, rows, self._merged), is_continued=True)
        return self._begun(place.number, entity, place.offset)

    def _begun(self, at: int, entity: Entity, offset: int = 0) -> Place | None:
        """Takes what fits of a large entity into an empty page. None when that was all of it."""
        shown = self.page.shorten(entity)
        if not shown.observations:
            first = entity.observations[0]
            return self._at("within", at, first.observation_no - 1, offset + self.page.cut(entity))
        self.page.take(shown)
        last = shown.observations[-1].observation_no
        rest = len(shown.observations) < len(entity.observations)
        if rest or sources.more_of(self.connection, self.source.graph, entity.entity_no, last):
            return self._at("within", at, last)
        return None

    def _relations(self, after: int) -> Place | None:
        looked_at = 0
        while rows := self.source.relations(self.connection, after, _RELATIONS):
            for row, shown in sources.shown_relations(self.connection, self.source, rows):
                if shown is not None and not self.page.relate(shown):
                    return self._at("relations", after)
                after = row.relation_no
            looked_at += len(rows)
            if looked_at >= _LOOKED_AT_MAX:
                return self._at("relations", after)
        return None

    def _at(self, kind: Kind, number: int, observation_no: int = 0, offset: int = 0) -> Place:
        return Place(kind, number, observation_no, offset, self.since)


def entity_of(row: EntityRow, observations: Sequence[ObservationRow], merged: Mapping[int, str]) -> Entity:
    """An entity as a read shows it; `merged` are the names of what others were merged into."""
    return Entity(
        row.entity_no,
        row.name,
        row.entity_type,
        row.status,
        None if row.merged_into is None else merged.get(row.merged_into),
        row.conversation_id,
        row.created_at,
        row.changed_at,
        tuple(map(sources.observation_of, observations)),
        row.observations,
    )


def _targets(connection: Connection, source: Source, rows: Sequence[EntityRow]) -> dict[int, str]:
    numbers = [row.merged_into for row in rows if row.merged_into is not None]
    found = store.entities_numbered(connection, source.graph, numbers) if numbers else {}
    return {number: row.name for number, row in found.items()}
