"""Going through whom a question may find, in order: by the name first, then by anything; each by number.

Only what the texts themselves show counts: the index may name too many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from tarimba.graph import folding, postings, store
from tarimba.graph.candidates import candidates
from tarimba.graph.matching import Matcher, Question
from tarimba.graph.postings import Members
from tarimba.graph.rows import EntityRow, Graph, ObservationRow
from tarimba.notes.words import Words

_TIER_BITS: Final = 61
_FIRST: Final = 16
_MOST: Final = 256


@dataclass(frozen=True, slots=True)
class Found:
    """An entity that the question finds, with all of its observations, and its place in the order."""

    place: int
    row: EntityRow
    observations: Sequence[ObservationRow]


class Finding:
    """One question in one snapshot of a graph."""

    def __init__(self, connection: Connection, at: Graph, words: Words, asked: Question) -> None:
        self._connection = connection
        self._at = at
        self._matcher = Matcher(words, asked)
        self._candidates = candidates(connection, at, words, asked)

    def best(self, found: Found, most: int) -> list[ObservationRow]:
        return self._matcher.best(found.observations, most)

    def after(self, place: int) -> Iterator[Found]:
        """What the question finds behind a place, as far as anybody asks for it; -1 is the beginning."""
        tier, number = divmod(place, 1 << _TIER_BITS) if place >= 0 else (0, -1)
        if tier == 0:
            yield from self._by_name(number)
            number = -1
        yield from self._by_anything(number)

    def _by_name(self, after: int) -> Iterator[Found]:
        for rows in self._batches(self._candidates.by_name(), after):
            hits = [row for row in rows if self._names(row)]
            said = self._observations(hits)
            yield from (Found(row.entity_no, row, said.get(row.entity_no, ())) for row in hits)

    def _by_anything(self, after: int) -> Iterator[Found]:
        for rows in self._batches(self._candidates.by_anything(), after):
            others = [row for row in rows if not self._names(row)]
            said = self._observations(others)
            for row in others:
                mine = said.get(row.entity_no, ())
                if self._matcher.is_hit([row.name, row.entity_type, *(one.content for one in mine)]):
                    yield Found(1 << _TIER_BITS | row.entity_no, row, mine)

    def _names(self, row: EntityRow) -> bool:
        return self._matcher.is_hit([row.name])

    def _batches(self, members: Members | None, after: int) -> Iterator[list[EntityRow]]:
        """The active ones of the members, or of all, in order: few at first, more the longer it takes."""
        size = _FIRST
        numbers = None if members is None else postings.numbers(members, after)
        while True:
            if numbers is None:
                rows = store.entities_after(self._connection, self._at, after, ("active",), size)
                after, is_last = (rows[-1].entity_no, len(rows) < size) if rows else (after, True)
            else:
                some = [number for _, number in zip(range(size), numbers, strict=False)]
                there = store.entities_numbered(self._connection, self._at, some)
                rows = [there[number] for number in some if number in there]
                rows = [row for row in rows if row.status == "active"]
                is_last = len(some) < size
            yield rows
            if is_last:
                return
            size = min(2 * size, _MOST)

    def _observations(self, rows: Sequence[EntityRow]) -> dict[int, list[ObservationRow]]:
        found: dict[int, list[ObservationRow]] = {}
        if rows:
            for one in store.observations_of(self._connection, self._at, [row.entity_no for row in rows]):
                found.setdefault(one.entity_no, []).append(one)
        return found


def is_empty(asked: Question) -> bool:
    """Whether a question has nothing to look for."""
    return not folding.pieces(asked.folded)
