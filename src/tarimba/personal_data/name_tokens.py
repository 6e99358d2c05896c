"""A text as a row of words with what the lists know of each: the common ground of the layers that find names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.personal_data.fold import plain
from tarimba.personal_data.gazetteer import NOTHING, PHRASE_WORDS_MAX, Entry, Gazetteer, key, longer
from tarimba.personal_data.name_words import CUES, PARTICLES

_TOKEN: Final = re.compile(r"\n+|[^\W_]+(?:['’][^\W\d_]+){0,3}|([^\w\s]|_)\1*")
_LINE_WORDS_MIN: Final = 3
_RUN_MAX: Final = 12
NAMES_FIRST_MIN: Final = 4
NAMES_LAST_MIN: Final = 6


@dataclass(frozen=True, slots=True)
class Run:
    """Words [start, end) that belong together by their capitals, or in small letters because lists know them."""

    start: int
    end: int


NO_RUN: Final = Run(-1, -1)


@dataclass(frozen=True, slots=True)
class Words:
    """Parallel rows, one place for each word, sign or line break of a text."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    low: Sequence[str]
    """Folded spellings."""
    shapes: Sequence[str]
    """`x` small, `X` one capital, `Xx`, `XX` capitals, `Xy` and `xX` mixed, `0` digits, `x0` both, or the sign."""
    entries: Sequence[Entry]
    cues: Sequence[str]
    marks: Sequence[str]
    """`p` inside a known place, `b` inside a known brand, else empty."""
    lines: Sequence[str]
    """`C` in a line of capitals, `T` in a line where every word has one, else empty."""
    runs: Sequence[Run]
    kins: Sequence[int]
    """Numbers of the groups of words of like meaning, 0 for none."""

    def __len__(self) -> int:
        return len(self.low)

    def listed(self, place: int) -> bool:
        """Whether the lists alone make this word a likely part of a name."""
        first, last, word, *_ = self.entries[place]
        if word:
            return word < 2 and (first >= NAMES_FIRST_MIN or last >= NAMES_LAST_MIN)
        return first >= NAMES_FIRST_MIN - 1 or last >= NAMES_LAST_MIN - 1


def words_of(text: str, known: Gazetteer) -> Words:
    """The words of a view's text. Work grows with its length."""
    matches = list(_TOKEN.finditer(text))
    raw = [match[0] for match in matches]
    flat = plain(text).replace("’", "'")
    low = [flat[match.start() : match.end()] for match in matches]
    shapes = [_shape(word) for word in raw]
    entries = [
        known.entry(word) if shape[0] in "xX" else NOTHING for word, shape in zip(low, shapes, strict=True)
    ]
    runs = [NO_RUN] * len(low)
    rows = Words(
        text,
        [match.start() for match in matches],
        [match.end() for match in matches],
        low,
        shapes,
        entries,
        [CUES.get(word, "") for word in low],
        _marks(low, shapes, entries, known),
        list(_lines(shapes, low)),
        runs,
        [_kin(shape, entry) for shape, entry in zip(shapes, entries, strict=True)],
    )
    _mark_runs(rows, runs)
    return rows


def _kin(shape: str, entry: Entry) -> int:
    """What a word means; with a capital it is rather the name that it also is."""
    named = entry.first >= NAMES_FIRST_MIN - 1 or entry.last >= NAMES_LAST_MIN - 1
    return 0 if named and shape != "x" else entry.kin


def _shape(word: str) -> str:
    if word.isalpha() or "'" in word or "’" in word:
        if word.islower():
            return "x"
        if word.isupper():
            return "XX" if len(word) > 1 else "X"
        # Letters without case, such as Chinese ones, count as capitals: a name is what they mostly are among ours.
        if word[0].islower():
            return "xX"
        return "Xx" if word[1:].islower() else "Xy"
    if word.isdigit():
        return "0"
    return "x0" if word[0].isalnum() else word[0]


def _lines(shapes: Sequence[str], low: Sequence[str]) -> Iterator[str]:
    start = 0
    for end in (*(place for place, shape in enumerate(shapes) if shape == "\n"), len(shapes)):
        kind = _line([s for s, w in zip(shapes[start:end], low[start:end], strict=True) if len(w) > 3])
        yield from [kind] * (end - start)
        start = end
    # Each line break belongs to the line that follows it.


def _line(shapes: Sequence[str]) -> str:
    cased = [shape for shape in shapes if shape[0] in "xX" and shape != "x0"]
    if len(cased) < _LINE_WORDS_MIN or "x" in cased:
        return ""
    return "C" if all(shape == "XX" for shape in cased) else "T"


def _marks(
    low: Sequence[str], shapes: Sequence[str], entries: Sequence[Entry], known: Gazetteer
) -> Sequence[str]:
    marks = ["p" if entry.place else "b" if entry.brand else "" for entry in entries]
    for place, entry in enumerate(entries):
        if entry.opens:
            _mark_phrase(low, shapes, known, place, marks)
    return marks


def _mark_phrase(
    low: Sequence[str], shapes: Sequence[str], known: Gazetteer, place: int, marks: list[str]
) -> None:
    """Mark the longest place or brand of several words that starts here."""
    phrase, stop = key(low[place]), min(place + PHRASE_WORDS_MAX + 3, len(low))
    longest, mark = 0, ""
    for at in range(place + 1, stop):
        if shapes[at] in "&-.":
            continue
        if shapes[at][0] not in "xX":
            break
        phrase = longer(phrase, low[at])
        found = known.at(phrase)
        if found.place or found.brand:
            longest, mark = at + 1, "P" if found.place else "B"
    if longest:
        marks[place:longest] = [mark] * (longest - place)


def _mark_runs(words: Words, runs: list[Run]) -> None:
    place, size = 0, len(words)
    while place < size:
        if not _carries(words, place):
            place += 1
            continue
        end = _run_end(words, place)
        runs[place:end] = [Run(place, end)] * (end - place)
        place = end


def _carries(words: Words, place: int) -> bool:
    shape = words.shapes[place]
    if shape[0] == "X" and words.lines[place] != "C":
        return True
    return shape[0] in "xX" and shape != "x0" and words.listed(place)


def _run_end(words: Words, start: int) -> int:
    """Where the run ends that starts here: particles, initials' dots, `&` and hyphens only count between words."""
    end = at = start + 1
    while at < len(words) and at - start < _RUN_MAX:
        if _carries(words, at):
            end = at = at + 1
        elif at - end < 2 and _joins(words, at):
            at += 1
        else:
            break
    return end


def _joins(words: Words, at: int) -> bool:
    if words.low[at] in PARTICLES:
        return True
    shape = words.shapes[at]
    return shape in "&-" or (shape == "." and len(words.low[at - 1]) <= 3 and words.shapes[at - 1][0] == "X")
