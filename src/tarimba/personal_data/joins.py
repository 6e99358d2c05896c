"""Fields read together: a number split over title and body, or over tags, is still one number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tarimba.personal_data.model import Finding

_EDGE: Final = 64
"""Characters of a long field that a join reads at each of its ends: a cue's reach and the longest value."""

# Digits of any script, signs that fold into one, words around an address.
_TELLING: Final = re.compile(
    r"[\d@\u00b2\u00b3\u00b9\u2070-\u2089\u2460-\u24ff\u2776-\u2793\ufe6b\uff20]|arroba|\bat\b", re.IGNORECASE
)
_TELLING_MIN: Final = 5
_LAST_WORD: Final = re.compile(r"\S+$")
_FIRST_WORD: Final = re.compile(r"^\S+")


@dataclass(frozen=True, slots=True)
class Part:
    """One string of a note under its name on the wire."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The characters from `at` on of a join are those of `part` from `start` on."""

    at: int
    part: Part
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Join:
    """Several parts, or their edges, one after another."""

    text: str
    stretches: tuple[_Stretch, ...]

    def pieces(self, finding: Finding) -> Iterator[tuple[Part, Finding]]:
        """What a finding in the join covers of each part."""
        for stretch in self.stretches:
            start = max(finding.start, stretch.at)
            end = min(finding.end, stretch.at + stretch.size)
            if start < end:
                shift = stretch.start - stretch.at
                yield stretch.part, Finding(finding.kind, start + shift, end + shift, finding.layer)


def parts_of(fields: Mapping[str, str | Sequence[str]]) -> tuple[Part, ...]:
    """The strings of a note in the order given; those of a list with their place."""
    return tuple(part for name, value in fields.items() for part in _parts(name, value))


def _parts(name: str, value: str | Sequence[str]) -> Iterator[Part]:
    if isinstance(value, str):
        yield Part(name, value)
    else:
        for place, text in enumerate(value):
            yield Part(f"{name}[{place}]", text)


def joins(parts: Sequence[Part]) -> Iterator[Join]:
    """The neighbourhoods in which something may be split: all parts in order, and all but the longest.

    Each is read with line ends between the parts (two halves of a number), and with nothing if a seam may run
    through a word or a number.
    """
    parts = [part for part in parts if part.text]
    longest = max(parts, key=lambda part: len(part.text), default=None)
    for row in (parts, [part for part in parts if part is not longest]):
        if any(_tells(left.text, right.text) for left, right in pairwise(row)):
            yield _join(row, "\n")
            if any(_split(left.text, right.text) for left, right in pairwise(row)):
                yield _join(row, "")


def _tells(left: str, right: str) -> bool:
    """Whether there is enough for a number around a seam, or a sign of an address."""
    signs = _TELLING.findall(left[-_EDGE:]) + _TELLING.findall(right[:_EDGE])
    return len(signs) >= _TELLING_MIN or not all(map(str.isnumeric, signs))


def _split(left: str, right: str) -> bool:
    seam = _LAST_WORD.findall(left[-_EDGE:]) + _FIRST_WORD.findall(right[:_EDGE])
    return any(_TELLING.search(word) for word in seam)


def _join(row: Sequence[Part], between: str) -> Join:
    texts: list[str] = []
    stretches: list[_Stretch] = []
    at = 0
    for part in row:
        for start, text in _edges(part.text):
            texts += (text, between)
            stretches.append(_Stretch(at, part, start, len(text)))
            at += len(text) + len(between)
    return Join("".join(texts), tuple(stretches))


def _edges(text: str) -> Iterator[tuple[int, str]]:
    if len(text) <= 2 * _EDGE:
        yield 0, text
    else:
        yield 0, text[:_EDGE]
        yield len(text) - _EDGE, text[-_EDGE:]
