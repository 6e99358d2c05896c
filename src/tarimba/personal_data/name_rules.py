"""Layer 2: names by lists and cues. What makes a name a place, a company or a system keeps it from being one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tarimba.personal_data.name_tokens import Run, Words
from tarimba.personal_data.name_words import RELATIONS

_COMMON: Final = 5
"""From this class on a first name is one that readers know."""
_LISTED: Final = 3
_VOID_INSIDE: Final = frozenset("CIFWY")
_VOID_BEFORE: Final = frozenset("FWPYEV")
_VOID_AFTER: Final = frozenset("CI")
_CUE: Final = frozenset("TRA")
# `seu Osvaldo`, and the pronoun: `seu Netflix`.
_OWN: Final = frozenset({"seu"})
_LINKS: Final = frozenset({":", ",", '"', "'", "(", "=", "“", "«", "-", "."})
_SMALL: Final = frozenset(
    "a o as os da do de das dos el la al del the is e é es com c para pra pro por".split()
)


class Name(NamedTuple):
    """The words [start, end) of a text. A sure name is one also for those who want few mistakes."""

    start: int
    end: int
    sure: bool
    announced: str = ""
    """`R` if a word for a person stands before it or in it, `T` if only a title does, `F` for foreign letters."""


def names_by_list(words: Words) -> Iterator[Name]:
    """First name with surname, and names that a cue announces."""
    place = 0
    while place < len(words):
        run = words.runs[place]
        if run.start < 0:
            place += 1
            continue
        if not _void(words, run):
            yield from _in_run(words, run)
        place = run.end
    yield from _foreign_letters(words)


def _void(words: Words, run: Run) -> bool:
    """Whether the run or its neighbours say that it is a street, a company, a hospital, a system."""
    inside = words.cues[run.start : run.end]
    # `Dr` opens a person's name and ends a street's.
    if "T" in inside[0]:
        inside = inside[1:]
    if any(_VOID_INSIDE.intersection(cues) for cues in inside):
        return True
    if _VOID_BEFORE.intersection(_before(words, run.start)):
        return True
    after = words.cues[run.end] if run.end < len(words) else ""
    sign = words.shapes[run.end] if run.end < len(words) else ""
    return bool(_VOID_AFTER.intersection(after)) or sign == "&" or "&" in words.shapes[run.start : run.end]


def _before(words: Words, start: int) -> str:
    """The cues of the last word before a place that is no particle, article or sign, at most three words back."""
    for place in range(start - 1, max(-1, start - 4), -1):
        if words.shapes[place] == "\n" or _ends_sentence(words, place):
            return ""
        if words.low[place] not in _SMALL and words.shapes[place] not in _LINKS:
            return _cues(words, place)
    return ""


def _cues(words: Words, place: int) -> str:
    return words.cues[place] + ("R" if words.low[place] in RELATIONS else "")


def _ends_sentence(words: Words, place: int) -> bool:
    """Whether a dot stands here that is no title's, as in `Dr. Souza`, nor an initial's."""
    if words.shapes[place] != "." or not place:
        return False
    return "T" not in words.cues[place - 1] and len(words.low[place - 1]) > 4


def _in_run(words: Words, run: Run) -> Iterator[Name]:
    start = next((p for p in range(run.start, run.end) if _common(words, p)), -1)
    cues = _before(words, run.start) + "".join(_cues(words, place) for place in range(run.start, run.end))
    cued = "" if not _CUE.intersection(cues) else "R" if {"R", "A"}.intersection(cues) else "T"
    if start >= 0 and _goes_on(words, start, run.end):
        yield Name(start, run.end, _sure(words, start, run.end) or bool(cued), cued)
    elif cued:
        start = next((p for p in range(run.start, run.end) if _likely(words, p)), -1)
        if start >= 0:
            yield Name(start, run.end, words.entries[start].first >= _COMMON, cued)


def _common(words: Words, place: int) -> bool:
    entry = words.entries[place]
    return entry.first >= _COMMON and entry.word < 2 and not words.marks[place] and not words.cues[place]


def _likely(words: Words, place: int) -> bool:
    """Whether a cue makes a name of this word."""
    entry = words.entries[place]
    capital = words.shapes[place] in {"Xx", "XX"}
    titled = capital and words.lines[place] != "T" and _titled(words, place)
    # `doña Remedios`: after a title a common name is one that is a word too.
    if (entry.word >= (2 if capital else 1) and not (titled and entry.first >= _LISTED)) or words.cues[place]:
        return False
    if titled:
        # Many a surname is a town too.
        return words.marks[place] in {"", "p"}
    return not words.marks[place] and (entry.first >= _LISTED or entry.last >= _COMMON)


def _titled(words: Words, place: int) -> bool:
    """Whether a title stands right before: after `Dr.` any word with a capital is a name, listed or not."""
    before = [at for at in range(max(0, place - 2), place) if words.shapes[at] != "."]
    return bool(before) and "T" in words.cues[before[-1]] and words.low[before[-1]] not in _OWN


def _goes_on(words: Words, start: int, end: int) -> bool:
    """Whether a word after the first name is a surname or another first name."""
    return any(
        (words.entries[place].last >= _LISTED or words.entries[place].first >= _COMMON)
        and len(words.low[place]) > 2
        and words.shapes[place][0] in "xX"
        and not words.marks[place]
        for place in range(start + 1, end)
    )


def _sure(words: Words, start: int, end: int) -> bool:
    return words.entries[start].first > _COMMON and any(
        e.last > _COMMON for e in words.entries[start + 1 : end]
    )


def _foreign_letters(words: Words) -> Iterator[Name]:
    """Words in letters that no Latin alphabet has, right after a word for a customer."""
    for place, low in enumerate(words.low):
        if low.isascii() or not low.isalpha() or low < "\u0370":
            continue
        if place and words.runs[place - 1].start < 0 and "R" in _before(words, place):
            end = place + 1
            while end < len(words) and words.low[end] >= "\u0370" and words.low[end].isalpha():
                end += 1
            yield Name(place, end, sure=True, announced="F")
