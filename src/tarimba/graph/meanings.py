"""What a search by meaning shows: by words, and by vectors where there are any, as one ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from sqlalchemy import Connection

from tarimba.graph import embedding, ranking, store
from tarimba.graph.fitting import Page
from tarimba.graph.found_page import entity_of
from tarimba.graph.matching import Matcher, question
from tarimba.graph.model import Entity, Hit
from tarimba.graph.rows import EntityRow, Graph
from tarimba.graph.telling import by_words
from tarimba.kernel import Kernel

SearchType = Literal["bm25", "hybrid"]
BM25: Final[SearchType] = "bm25"
HYBRID: Final[SearchType] = "hybrid"
_OBSERVATIONS: Final = 5
_LOADED: Final = 100
# What is around the entities of an answer, and the score of each.
_SCORES_ROOM: Final = 1_500


class Meanings:
    """One graph in one snapshot."""

    def __init__(self, connection: Connection, kernel: Kernel, at: Graph) -> None:
        self._connection = connection
        self._kernel = kernel
        self._at = at

    def hits(
        self, query: str, vector: Any, most: int, threshold: float
    ) -> tuple[tuple[Hit, ...], SearchType]:
        """The best entities, and what was used; `vector` is None without an embedder."""
        scores, used = self._scores(query, vector)
        unit = ranking.WORDS_MOST if used == BM25 else ranking.UNIT
        ordered = [number for number in ranking.ordered(scores) if scores[number] >= threshold * unit]
        shown = self._shown(query, ordered, most)
        return tuple(Hit(entity, scores[entity.entity_no] / unit) for entity in shown), used

    def _scores(self, query: str, vector: Any) -> tuple[Mapping[int, int], SearchType]:
        said = by_words(self._connection, self._at, self._kernel.words, query)
        meaning = self._kernel.meaning
        if meaning is None or vector is None:
            return said, BM25
        near = embedding.nearest(self._connection, meaning, self._at, vector, ranking.RANKED_MAX)
        return (ranking.fused(said, near), HYBRID) if near else (said, BM25)

    def _shown(self, query: str, numbers: Sequence[int], most: int) -> list[Entity]:
        """As many of the first as one answer has place for, each with the observations that say most of the query."""
        matcher = Matcher(self._kernel.words, question(self._kernel.words, query))
        page = Page("plain", most)
        page.room -= _SCORES_ROOM
        for row in self._active(numbers):
            said = store.observations_of(self._connection, self._at, [row.entity_no])
            entity = entity_of(row, matcher.best(said, _OBSERVATIONS))
            if not page.take(entity):
                if page.entities:
                    break
                page.take(page.shorten(entity))
        return page.entities

    def _active(self, numbers: Sequence[int]) -> Iterator[EntityRow]:
        for start in range(0, len(numbers), _LOADED):
            some = numbers[start : start + _LOADED]
            there = store.entities_numbered(self._connection, self._at, some)
            rows = (there[number] for number in some if number in there)
            yield from (row for row in rows if row.status == "active")
