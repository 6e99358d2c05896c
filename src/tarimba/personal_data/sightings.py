"""What in a text may be the name or a handle of somebody: every candidate, with where it stands. Pure.

Work and number of candidates grow with the text and no faster: each word begins at most five names, each group of
digits at most eight numbers of at most five meanings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
from tarimba.personal_data.reading import readings
from tarimba.personal_data.views import View

Candidate = tuple[Family, str]
Sighted = dict[Candidate, list[tuple[View, int, int]]]
"""Where the family and value of a candidate stand in the readings of a text; `spans` tells where in the text."""

_NUMBER_MAX: Final = 15
_GROUPS_MAX: Final = 8
_CHAIN: Final = re.compile(r"\d++(?:[\W_]{1,3}\d++)*+")
_GROUP: Final = re.compile(r"\d+")
_CODE: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9./-]{6,22}(?![A-Za-z0-9])")
_ADDRESS: Final = re.compile(r"[^\s@<>()\[\],;:\"]{1,64}@[^\s@<>()\[\],;:\"]{3,255}")


def sightings(text: str) -> Sighted:
    """The candidates in every reading of a text."""
    found: Sighted = {}
    for reading in readings(text):
        view = reading.view
        # The reading that sees digits in letters has no other words than the one before it.
        for family, value, start, end in _numbers(view.text) if reading.needs_cue else _candidates(view):
            found.setdefault((family, value), []).append((view, start, end))
    return found


def spans(places: Iterable[tuple[View, int, int]]) -> list[tuple[int, int]]:
    """The spans of the original text, each once and in order."""
    return sorted({view.span(start, end) for view, start, end in places})


def _candidates(view: View) -> Iterator[tuple[Family, str, int, int]]:
    low = plain(view.text)
    yield from _names(low)
    yield from _numbers(view.text)
    yield from _codes(view.text)
    yield from _addresses(low)


def _names(low: str) -> Iterator[tuple[Family, str, int, int]]:
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


def _numbers(text: str) -> Iterator[tuple[Family, str, int, int]]:
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


def _codes(text: str) -> Iterator[tuple[Family, str, int, int]]:
    """Numbers of documents with letters in them."""
    for match in _CODE.finditer(text):
        code = document(match[0])
        if len(code) >= DOCUMENT_MIN and not code.isdigit() and not code.isalpha():
            yield "document", code, *match.span()


def _addresses(low: str) -> Iterator[tuple[Family, str, int, int]]:
    for match in _ADDRESS.finditer(low):
        # A sentence may end right behind it.
        written = match[0].rstrip(".!?'")
        address = email(written)
        if address:
            yield "email", address, match.start(), match.start() + len(written)
