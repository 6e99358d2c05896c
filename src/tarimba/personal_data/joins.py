"""Fields read together: a number split over title and body, or over tags, is still one number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.personal_data.model import Finding

_EDGE: Final = 160
"""Characters of a long field that a join reads at each of its ends: no rule looks further than that."""

_TELLING: Final = re.compile(r"[^\x00-\x7f]|\d|@|arroba|\bat\b", re.IGNORECASE)


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

    Each is read with line ends between the parts (two halves of a number) and with nothing (two halves of a word).
    """
    parts = [part for part in parts if part.text]
    if len(parts) < 2 or not any(_TELLING.search(part.text) for part in parts):
        return
    longest = max(parts, key=lambda part: len(part.text))
    rows = [parts]
    if len(parts) > 2:
        rows.append([part for part in parts if part is not longest])
    for row in rows:
        yield _join(row, "\n")
        yield _join(row, "")


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
