"""What in a text may be the name or a handle of somebody: every candidate, with where it stands. Pure.

Work and number of candidates grow with the text and no faster: each word begins at most five names, each group of
digits at most eight numbers of at most five meanings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.personal_data.fold import plain
from tarimba.personal_data.handles import (
    DOCUMENT_MIN,
    NAME_WORD,
    NAME_WORDS_MAX,
    PARTICLES,
    SENTENCE_WORDS,
    Family,
    document,
    email,
    phones_in,
)
from tarimba.personal_data.reading import Reading, readings

Candidate = tuple[Family, str]
Seen = tuple[Family, str, int, int]
"""A candidate and where it stands in a reading."""

_NUMBER_MAX: Final = 15
_GROUPS_MAX: Final = 8
_CHAIN: Final = re.compile(r"\d++(?:[\W_]{1,3}\d++)*+")
_GROUP: Final = re.compile(r"\d+")
_CODE: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9./-]{6,22}(?![A-Za-z0-9])")
_ADDRESS: Final = re.compile(r"[^\s@<>()\[\],;:\"]{1,64}@[^\s@<>()\[\],;:\"]{3,255}")


@dataclass(frozen=True, slots=True)
class Sightings:
    """The candidates in every reading of a text, by family.

    Hardly one is known: where one stands is looked for only then.
    """

    values: Mapping[Family, Collection[str]]
    readings: Sequence[Reading]

    def spans(self, wanted: Collection[Candidate]) -> dict[Candidate, list[tuple[int, int]]]:
        """The spans of the original text where each of these stands, each once and in order."""
        found: dict[Candidate, set[tuple[int, int]]] = {}
        for reading in self.readings if wanted else ():
            for family, value, start, end in _candidates(reading):
                if (family, value) in wanted:
                    found.setdefault((family, value), set()).add(reading.view.span(start, end))
        return {candidate: sorted(places) for candidate, places in found.items()}


def sightings(text: str) -> Sightings:
    """What in a text may be somebody's name or handle."""
    every = readings(text)
    # In this order, whatever the hash seed: what is made of them should not differ from run to run.
    values: dict[Family, dict[str, None]] = {"name": {}, "document": {}, "phone": {}, "email": {}}
    for reading in every:
        for family, value, _, _ in _candidates(reading):
            values[family][value] = None
    return Sightings(values, every)


def _candidates(reading: Reading) -> Iterator[Seen]:
    text = reading.view.text
    yield from _numbers(text)
    # The reading that sees digits in letters has no other words than the one before it.
    if not reading.needs_cue:
        low = plain(text)
        yield from _names(low)
        yield from _codes(text)
        yield from _addresses(low)


def _names(low: str) -> Iterator[Seen]:
    words = [match for match in NAME_WORD.finditer(low) if match[0] not in PARTICLES]
    for at, first in enumerate(words):
        name = first[0]
        if name in SENTENCE_WORDS:
            continue
        for word in words[at + 1 : at + NAME_WORDS_MAX]:
            if word[0] in SENTENCE_WORDS:
                break
            name = f"{name} {word[0]}"
            yield "name", name, first.start(), word.end()


def _numbers(text: str) -> Iterator[Seen]:
    for chain in _CHAIN.finditer(text):
        groups = [match.span() for match in _GROUP.finditer(text, *chain.span())]
        for at, (start, _) in enumerate(groups):
            digits = ""
            for left, right in groups[at : at + _GROUPS_MAX]:
                digits += text[left:right]
                if len(digits) > _NUMBER_MAX:
                    break
                if len(digits) >= DOCUMENT_MIN:
                    yield "document", digits, start, right
                    for number in phones_in(digits):
                        yield "phone", number, start, right


def _codes(text: str) -> Iterator[Seen]:
    """Numbers of documents with letters in them."""
    for match in _CODE.finditer(text):
        code = document(match[0])
        if len(code) >= DOCUMENT_MIN and not code.isdigit() and not code.isalpha():
            yield "document", code, *match.span()


def _addresses(low: str) -> Iterator[Seen]:
    for match in _ADDRESS.finditer(low):
        # A sentence may end right behind it.
        written = match[0].rstrip(".!?'")
        address = email(written)
        if address:
            yield "email", address, match.start(), match.start() + len(written)
