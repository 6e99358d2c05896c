"""How a search ranks: integers only, so that every machine and both databases give the same order. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final, NamedTuple

from tarimba.notes.words import rarity

# What a search looks at: rows of `note_term`, several for a note that has several forms of a word.
ROWS_MAX: Final = 2000
# Of these the whole score is computed; who is behind by the telling words would not come first by the others.
LEADERS_MAX: Final = 200
ATTEMPTS_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the query: the terms that stand for it, in how many rows they are, how much it tells."""

    terms: tuple[int, ...]
    rows: int
    worth: int


class Hit(NamedTuple):
    """A term in a note: a row of `note_term`, which the database gives in this very form."""

    age: int
    term: int
    weight: int
    version: int


def weighed(groups: Iterable[tuple[int, ...]], having: Mapping[int, int], total: int) -> list[Word]:
    """The words that any note has, the rarest first."""
    words = []
    for terms in dict.fromkeys(groups):
        counts = [having.get(term, 0) for term in terms]
        if any(counts):
            # Notes with one form of a word mostly have its others too: the most common one counts them best.
            words.append(Word(terms, sum(counts), rarity(total, max(counts))))
    return sorted(words, key=lambda word: (word.rows, word.terms))


def attempts(words: Sequence[Word]) -> list[list[Word]]:
    """Which words find candidates: first the rare ones, as many as are few enough together, at least the rarest.

    The others only add to the score of what these found: a word that half of all notes have finds nothing. Only
    when nothing that was found may be shown (other tags, ended) does each of them find for itself.
    """
    first = list(words[:1])
    budget = ROWS_MAX - sum(word.rows for word in first)
    for word in words[1:]:
        budget -= word.rows
        if budget < 0:
            break
        first.append(word)
    return [first, *([word] for word in words[len(first) :])][:ATTEMPTS_MAX]


def ranked(words: Sequence[Word], hits: Iterable[tuple[int, int, int, int]]) -> list[int]:
    """Ages of notes, best first: score, then the most revised, then the oldest.

    The score is the sum over the query's words of what the word is worth times its weight in the note. `hits`
    have the members of `Hit`.
    """
    words_of: dict[int, list[int]] = {}
    for at, word in enumerate(words):
        for term in word.terms:
            words_of.setdefault(term, []).append(at)
    weights: dict[int, list[int]] = {}
    versions: dict[int, int] = {}
    for age, term, weight, version in hits:
        mine = weights.get(age)
        if mine is None:
            mine = weights[age] = [0] * len(words)
            versions[age] = version
        for at in words_of.get(term, ()):
            # The forms of one word count once, by the heaviest.
            mine[at] = max(mine[at], weight)
    worth = [word.worth for word in words]
    scored = ((sum(map(mul, worth, mine)), age) for age, mine in weights.items())
    return [age for _, _, age in sorted((-score, -versions[age], age) for score, age in scored if score)]
