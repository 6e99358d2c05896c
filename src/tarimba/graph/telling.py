"""Who says most of what a query asks, by its words: BM25 over the index, exact for all whom it looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from tarimba.graph import folding, index_store, postings, ranking
from tarimba.graph.candidates import Group, Lookup
from tarimba.graph.indexing import LENGTH, term_of_name
from tarimba.graph.postings import Members
from tarimba.graph.rows import Graph
from tarimba.notes.words import Words, term_id

# Whom a search looks at: a word that so many entities have adds to the score of those that rarer words found.
LOOKED_AT_MAX: Final = 2000


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the query: its terms, those of names, who has it, and what it tells."""

    terms: frozenset[int]
    name_terms: frozenset[int]
    members: Members
    worth: int


def by_words(connection: Connection, at: Graph, words: Words, query: str) -> dict[int, int]:
    """The score of entities by the words of the query, as `ranking.scored` gives it; no entity without any of them.

    Where all words together are in more than 2,000 entities, those with the rarest are looked at.
    """
    telling = folding.telling(folding.fold(query))
    groups = Lookup(connection, at, words).of_forms([words.forms(word) for word in telling])
    found = _Telling(connection, at)
    known = found.words(groups)
    unknown = len(telling) - len(known)
    return found.scores(known, unknown)


class _Telling:
    """The postings of one graph in one snapshot."""

    def __init__(self, connection: Connection, at: Graph) -> None:
        self._place = (connection, at.graph_no, at.space_id)
        self._total = at.entities

    def words(self, groups: Sequence[Group]) -> list[_Word]:
        """The words that anybody has, the rarest first."""
        terms = {term_id(word) for group in groups for word in group}
        members = index_store.members(*self._place, terms)
        found = []
        for group in groups:
            mine = frozenset(term_id(word) for word in group)
            having = postings.union(members[term] for term in mine if term in members)
            if having:
                names = frozenset(term_of_name(word) for word in group)
                worth = ranking.rarity(self._total, postings.size(having))
                found.append(_Word(mine, names, having, worth))
        return sorted(found, key=lambda word: (-word.worth, sorted(word.terms)))

    def scores(self, words: Sequence[_Word], unknown: int) -> dict[int, int]:
        """`unknown` words of the query nobody has."""
        looked_at = _looked_at(words)
        if not looked_at:
            return {}
        counts = {number: [0] * len(words) for number in postings.numbers(looked_at)}
        for at, word in enumerate(words):
            for worth, terms in ((1, word.terms), (ranking.NAME_WORTH - 1, word.name_terms)):
                for number, count in self._counts(terms, looked_at):
                    counts[number][at] += worth * count
        lengths = dict(self._counts({LENGTH}, looked_at))
        worths = [word.worth for word in words]
        most = sum(worths) + unknown * ranking.rarity(self._total, 0)
        return ranking.scored(worths, counts, lengths, most)

    def _counts(self, terms: frozenset[int] | set[int], among: Members) -> list[tuple[int, int]]:
        """Number and count of those among the members who have a term."""
        found = []
        for _, chunk, stored in index_store.counted(*self._place, terms):
            if chunk in among:
                start = chunk * postings.SIZE
                here = postings.counts_among(stored, among[chunk])
                found += [(start + place, count) for place, count in here.items()]
        return found


def _looked_at(words: Sequence[_Word]) -> Members:
    """Whom to score: those with all words and with the rarest, then with the next, as long as they are few."""
    if not words:
        return {}
    every = postings.common(word.members for word in words)
    found = postings.first(every, LOOKED_AT_MAX // 2)
    found = postings.union([found, postings.first(words[0].members, LOOKED_AT_MAX - postings.size(found))])
    for word in words[1:]:
        more = postings.union([found, word.members])
        if postings.size(more) > LOOKED_AT_MAX:
            break
        found = more
    return found
