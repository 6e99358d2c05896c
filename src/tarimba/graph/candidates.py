"""Whom a question may find, by the index: never fewer than it finds, and mostly no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from tarimba.graph import index_store, postings
from tarimba.graph import vocabulary as lexicon
from tarimba.graph.indexing import term_of_name
from tarimba.graph.matching import Part, Question
from tarimba.graph.postings import Members
from tarimba.graph.rows import Graph
from tarimba.notes.words import Words, term_id

# A part that more words have than this is in so many entities that looking through them finds a page as soon.
WORDS_MAX: Final = 600
Group = tuple[str, ...]
"""Words that stand for one piece of the question: who has one of them has the piece."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Who may be found, looked up when it is asked for: most pages are full before the second question comes."""

    lookup: Lookup
    ways: Sequence[Sequence[Group]] | None

    def by_name(self) -> Members | None:
        """Who may be found by the name alone; None is everybody."""
        return None if self.ways is None else self.lookup.having(self.ways, term_of_name)

    def by_anything(self) -> Members | None:
        """Who may be found at all; None is everybody."""
        return None if self.ways is None else self.lookup.having(self.ways, term_id)


def candidates(connection: Connection, at: Graph, words: Words, asked: Question) -> Candidates:
    """Looks all words of the question up."""
    lookup = Lookup(connection, at, words)
    whole = lookup.of_parts(asked.parts)
    ways = [whole, *(lookup.of_forms(way) for way in asked.ways)]
    return Candidates(lookup, ways if all(ways) else None)


class Lookup:
    """The vocabulary and the postings of one graph in one snapshot."""

    def __init__(self, connection: Connection, at: Graph, words: Words) -> None:
        self._words = words
        self._place = (connection, at.graph_no, at.space_id)

    def of_parts(self, parts: Sequence[Part]) -> list[Group]:
        """For each piece the words that may hold it; a piece that too many words hold says nothing."""
        shards: list[str] = []
        if any(part.is_open_left or part.is_open_right for part in parts):
            shards = index_store.all_words(*self._place)
        groups = [self._holding(shards, part) for part in parts]
        return [group for group in groups if group is not None]

    def of_forms(self, way: Sequence[tuple[str, ...]]) -> list[Group]:
        """For each word of the question the words of the graph that share a form with it."""
        numbers = {lexicon.shard_of(term_id(form)) for forms in way for form in forms}
        shards = index_store.forms_in(*self._place, numbers)
        return [tuple(self._sharing(shards, forms)) for forms in way]

    def having(self, ways: Iterable[Sequence[Group]], term_of: Callable[[str], int]) -> Members:
        """Who has, in one of the ways, something of each group."""
        ways = list(ways)
        terms = {word: term_of(word) for groups in ways for group in groups for word in group}
        found = index_store.members(*self._place, terms.values())
        return postings.union(
            postings.common(
                postings.union(found[terms[word]] for word in group if terms[word] in found)
                for group in groups
            )
            for groups in ways
        )

    def _holding(self, shards: Sequence[str], part: Part) -> Group | None:
        if not (part.is_open_left or part.is_open_right):
            return (part.text,)
        begins, ends = "" if part.is_open_left else "\n", "" if part.is_open_right else "\n"
        found = lexicon.holding(shards, f"{begins}{part.text}{ends}", WORDS_MAX)
        return None if found is None else tuple(found)

    def _sharing(self, shards: dict[int, str], forms: Sequence[str]) -> dict[str, None]:
        found: dict[str, None] = {}
        for form in forms:
            found |= dict.fromkeys(
                lexicon.words_of_form(shards.get(lexicon.shard_of(term_id(form)), ""), form)
            )
            # A word that is its own only form has no line.
            if self._words.forms(form) == (form,):
                found[form] = None
        return found
