"""The index of a graph: which entities have which words, kept in the transaction that changes them.

Chosen by measurement, with 20 words an entity at 60,000 entities: a row for each word of each entity took PostgreSQL
29 ms for 100 entities and 15 ms to read the entities that have a common word; rows of many entities 20 ms and 2 ms, in
half the room. What a part of a word is found by grows with the different words, not with the texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.graph import folding, index_store, postings
from tarimba.graph import vocabulary as lexicon
from tarimba.notes.words import Words, term_id
from tarimba.storage.transactions import Tx

LENGTH: Final = 0
"""The term that every entity has, once for each word of each of its texts."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text, ready for the index: its words with the forms of each, their terms, and how many words it has."""

    words: tuple[tuple[str, tuple[str, ...]], ...]
    terms: tuple[int, ...]
    name_terms: tuple[int, ...]
    length: int


def prepare(words: Words, text: str, *, is_name: bool = False) -> Prepared:
    """What the index keeps of a name (`is_name`), a type or an observation. Outside of the transaction."""
    folded = folding.fold(text)
    known = sorted(folding.vocabulary(folded))
    return Prepared(
        tuple((word, words.forms(word)) for word in known),
        tuple(term_id(word) for word in known),
        tuple(term_of_name(word) for word in known) if is_name else (),
        len(folding.words(folded)),
    )


def term_of_name(word: str) -> int:
    """The term of a word in the name of an entity; no other has it, because no word holds a space."""
    return term_id(f"name {word}")


def add(tx: Tx, graph_no: int, rows: Sequence[tuple[int, Prepared]]) -> None:
    """Texts joined entities: (entity_no, text). All of one call in one go, new entities and old ones mixed."""
    met = _move(tx, graph_no, rows, 1)
    words = _forms_among(rows, met.appeared)
    shards = index_store.words_in(
        tx.connection, graph_no, tx.space_id, {lexicon.shard_of(term_id(word)) for word in words}
    )
    new = {
        word: forms
        for word, forms in words.items()
        if not lexicon.has_word(shards.get(lexicon.shard_of(term_id(word)), ""), word)
    }
    _revise(tx, graph_no, new, is_there=True)


def remove(tx: Tx, graph_no: int, rows: Sequence[tuple[int, Prepared]]) -> None:
    """Texts left entities: each was added before, with the same `is_name`. A word that nobody has is forgotten."""
    met = _move(tx, graph_no, rows, -1)
    kept = index_store.present(tx.connection, graph_no, tx.space_id, met.gone)
    _revise(tx, graph_no, _forms_among(rows, met.gone - kept), is_there=False)


def drop(tx: Tx, graph_no: int, rows: Sequence[tuple[int, Prepared]]) -> None:
    """Entities are gone: (entity_no, text) of every text they had."""
    remove(tx, graph_no, rows)
    index_store.drop_vectors(tx, graph_no, {entity_no for entity_no, _ in rows})


@dataclass(frozen=True, slots=True)
class _Met:
    """The terms of chunks that were not there before, and of those that are not there any more."""

    appeared: set[int]
    gone: set[int]


def _move(tx: Tx, graph_no: int, rows: Iterable[tuple[int, Prepared]], by: int) -> _Met:
    moved: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for entity_no, text in rows:
        chunk, place = divmod(entity_no, postings.SIZE)
        for term in (*text.terms, *text.name_terms):
            places = moved[term, chunk]
            places[place] = places.get(place, 0) + by
        if text.length:
            places = moved[LENGTH, chunk]
            places[place] = places.get(place, 0) + by * text.length
    stored = index_store.postings(tx.connection, graph_no, tx.space_id, sorted(moved))
    after = {key: postings.changed(stored.get(key, b""), places) for key, places in moved.items()}
    index_store.put_postings(tx, graph_no, {key: members for key, members in after.items() if members})
    empty = [key for key, members in after.items() if not members]
    index_store.drop_postings(tx, graph_no, empty)
    return _Met({term for term, chunk in moved if (term, chunk) not in stored}, {term for term, _ in empty})


def _forms_among(rows: Iterable[tuple[int, Prepared]], terms: set[int]) -> dict[str, tuple[str, ...]]:
    """The words with these terms, each with its forms."""
    if not terms:
        return {}
    return {
        word: forms
        for _, text in rows
        for term, (word, forms) in zip(text.terms, text.words, strict=True)
        if term in terms
    }


def _revise(tx: Tx, graph_no: int, words: Mapping[str, tuple[str, ...]], *, is_there: bool) -> None:
    """Enters words and their forms into the shards, or takes them out; writes what that changes."""
    if not words:
        return
    lines = _lines(words)
    shards = index_store.shards(tx.connection, graph_no, tx.space_id, sorted(lines))
    after = {}
    for shard, (more_words, more_forms) in lines.items():
        before = shards.get(shard, (set(), set()))
        if is_there:
            revised = before[0] | more_words, before[1] | more_forms
        else:
            revised = before[0] - more_words, before[1] - more_forms
        if revised != before:
            after[shard] = revised
    index_store.put_shards(tx, graph_no, after)


def _lines(words: Mapping[str, tuple[str, ...]]) -> index_store.Shards:
    """The lines of these words, and those of their forms, by shard. A word that is its own only form needs none."""
    lines: index_store.Shards = {}
    for word, forms in words.items():
        lines.setdefault(lexicon.shard_of(term_id(word)), (set(), set()))[0].add(word)
        for form in () if forms == (word,) else forms:
            shard = lexicon.shard_of(term_id(form))
            lines.setdefault(shard, (set(), set()))[1].add(lexicon.form_line(form, word))
    return lines
