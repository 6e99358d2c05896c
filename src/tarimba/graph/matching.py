"""What a query finds: the whole of it within one text, or all of its words anywhere in the entity. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tarimba.graph import folding
from tarimba.graph.rows import ObservationRow
from tarimba.notes.words import Words

NOTHING: Final = 0


class Part(NamedTuple):
    """A piece of the query as words have it: open to the left or right where a word may go on."""

    text: str
    is_open_left: bool
    is_open_right: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A query folded: what it is made of, and the forms of its words in each way to read it."""

    folded: str
    parts: tuple[Part, ...]
    ways: tuple[tuple[tuple[str, ...], ...], ...]


def question(words: Words, query: str) -> Question:
    """The query as it is looked for. One without anything visible has no parts, and finds nothing."""
    folded = folding.fold(query)
    found = folding.pieces(folded)
    last = len(found) - 1
    parts = tuple(
        Part(piece, at == 0 and folding.goes_on(piece), at == last and folding.goes_on(piece))
        for at, piece in enumerate(found)
    )
    ways = tuple(tuple(words.forms(word) for word in way) for way in folding.readings(folded))
    return Question(folded, parts, ways)


class Matcher:
    """One question, asked of many texts: each different word is looked up once."""

    def __init__(self, words: Words, asked: Question) -> None:
        self._words = words
        self._asked = asked
        places = {forms: 1 << at for at, forms in enumerate({forms for way in asked.ways for forms in way})}
        self._ways = [sum({places[forms] for forms in way}) for way in asked.ways]
        self._wanted: dict[str, int] = {}
        for forms, bit in places.items():
            for form in forms:
                self._wanted[form] = self._wanted.get(form, NOTHING) | bit
        self._seen: dict[str, int] = {}

    def has_whole(self, folded: str) -> bool:
        return self._asked.folded in folded

    def words_in(self, folded: str) -> int:
        """Which words of the question a folded text has, as bits."""
        found = NOTHING
        if self._wanted:
            for word in folding.words(folded):
                known = self._seen.get(word)
                found |= self._look(word) if known is None else known
        return found

    def has_all(self, found: int) -> bool:
        """Whether these are all words of the question, in one way to read it."""
        return any(way & found == way for way in self._ways)

    def is_hit(self, texts: Iterable[str]) -> bool:
        """Whether an entity with these texts is found."""
        found = NOTHING
        for text in texts:
            folded = folding.fold(text)
            if self.has_whole(folded):
                return True
            found |= self.words_in(folded)
        return self.has_all(found)

    def best(self, observations: Sequence[ObservationRow], most: int) -> list[ObservationRow]:
        """The observations that say most of what is asked: the whole of it first, then more words, then the oldest."""
        return (
            sorted(observations, key=self._worth)[:most]
            if len(observations) > 1
            else list(observations)[:most]
        )

    def _worth(self, row: ObservationRow) -> tuple[bool, int, int]:
        folded = folding.fold(row.content)
        return not self.has_whole(folded), -self.words_in(folded).bit_count(), row.observation_no

    def _look(self, word: str) -> int:
        found = NOTHING
        for form in self._words.forms(word):
            found |= self._wanted.get(form, NOTHING)
        self._seen[word] = found
        return found
