"""The index of a graph: which entities have which words, kept in the transaction that changes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tarimba.notes.words import Words
from tarimba.storage.transactions import Tx


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text, ready for the index: how often each of its tokens is in it, and whether it is an entity's name."""

    counts: Mapping[str, int]
    is_name: bool


def prepare(words: Words, text: str, *, is_name: bool = False) -> Prepared:
    """What the index keeps of a name (`is_name`), a type or an observation. Outside of the transaction."""
    return Prepared(Counter(words.terms(text)), is_name)


def add(tx: Tx, graph_no: int, rows: Sequence[tuple[int, Prepared]]) -> None:
    """Texts joined entities: (entity_no, text). All of one call in one go, new entities and old ones mixed."""


def remove(tx: Tx, graph_no: int, rows: Sequence[tuple[int, Prepared]]) -> None:
    """Texts left entities that stay: each was added before, with the same `is_name`."""


def drop(tx: Tx, graph_no: int, rows: Sequence[tuple[int, Prepared]]) -> None:
    """Entities are gone: (entity_no, text) of every text they had."""
