"""Cue words: what the text says a number is. The nearest one decides."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Final, NamedTuple

from tarimba.personal_data.cue_words import CUES, FILLERS, PAIRS

REACH: Final = 40
"""Characters between a cue and the value that it names."""

_AFTER: Final = 14
# A cue on the line before, as in a form.
_LINE_REACH: Final = 24
# "R.G." and "c.p.f" are words too.
_WORD: Final = re.compile(r"[a-z](?:\.[a-z]){1,3}\b|[a-z]+")
_SENTENCE_END: Final = re.compile(r"[.!?;]\s")
_ABBREVIATED: Final = re.compile(r"\b(?:no|nr|num|n|nro|res|sr|sra|dr|dra|soc|sec)$")
_LINE_END: Final = re.compile(r"\n")
# An order word behind a value says what it was only as an explanation: "(pedido)", "é o protocolo".
_EXPLAINS: Final = re.compile(r"\s?(?:[(\[]|=|:|e [oa]\b|is the\b|es el\b)")
# "os" is an article and "so" a word, "OS" and "SO" are orders.
_HUMP: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_VAGUE: Final = frozenset({None, "order", "contact", "doc"})
# Keys of programs that call, signal and dial.
_NO_KEYS: Final = frozenset(
    "signal cell call called text dial discar ring auto van card cards account conta".split()
)
_CAPITALS: Final = frozenset({"os", "so", "po", "oc", "du"})
# What an order number may also be called.
_NO_RIVALS: Final = frozenset({"order", "contact", "doc"})


class Near(NamedTuple):
    """What the words around a value say: kinds of cues, and which of them touch it but for filler words."""

    kinds: frozenset[str]
    tight: frozenset[str]
    ordered: bool
    """The value follows an order, protocol or version word, and no cue of a person's number is nearer."""

    def says(self, *kinds: str) -> bool:
        """A cue of one of these kinds is near, and the value is not an order number or the like."""
        return not self.ordered and not self.kinds.isdisjoint(kinds)

    def names(self, *kinds: str) -> bool:
        """Like `says`, with nothing but filler words in between."""
        return not self.ordered and not self.tight.isdisjoint(kinds)


_NOTHING: Final = Near(frozenset(), frozenset(), ordered=False)


class _Cue(NamedTuple):
    kind: str
    distance: int
    tight: bool
    explains: bool = True


class Cues:
    """The words of one text, sorted once into cues, fillers and others; then each question costs a few look-ups.

    `text` is the folded text, `low` its plain form of equal length.
    """

    __slots__ = ("_ends", "_kinds", "_lines", "_low", "_other_ends", "_other_starts", "_starts", "_stops")

    def __init__(self, text: str, low: str) -> None:
        self._low = low
        self._kinds: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._other_starts: list[int] = []
        self._other_ends: list[int] = []
        self._sort(text)
        self._stops = [m.start() for m in _SENTENCE_END.finditer(low) if not _abbreviated(low, m)]
        self._lines = [m.start() for m in _LINE_END.finditer(low)]

    def _sort(self, text: str) -> None:
        previous = ""
        for word in _WORD.finditer(self._low):
            said = word[0].replace(".", "")
            kind = PAIRS.get((previous, said)) or CUES.get(said) or _in_key(text[word.start() : word.end()])
            previous = said
            if kind and not (said in _CAPITALS and text[word.start()].islower()):
                self._kinds.append(kind)
                self._starts.append(word.start())
                self._ends.append(word.end())
            elif said not in FILLERS:
                self._other_starts.append(word.start())
                self._other_ends.append(word.end())

    def near(self, start: int, end: int) -> Near:
        """The cues around the value at [start, end)."""
        before, after = self._before(start), self._after(end)
        if not (before or after):
            return _NOTHING
        cues = before + after
        kinds = frozenset(cue.kind for cue in cues)
        tight = frozenset(cue.kind for cue in cues if cue.tight)
        return Near(kinds, tight, "order" in tight and _ordered(before, after))

    def _before(self, start: int) -> list[_Cue]:
        found: list[_Cue] = []
        other, stop, line = (
            self._last(self._other_ends, start),
            self._stop(start),
            self._last(self._lines, start - 1),
        )
        place = bisect_right(self._ends, start) - 1
        while place >= 0 and start - self._ends[place] <= REACH:
            end = self._ends[place]
            # The full stop of "tel. 11 ..." stands at `end` and ends no sentence.
            if stop > end or (line >= end and start - end > _LINE_REACH):
                break
            found.append(_Cue(self._kinds[place], start - end, other <= self._starts[place]))
            place -= 1
        return found

    def _after(self, end: int) -> list[_Cue]:
        found: list[_Cue] = []
        place = bisect_left(self._starts, end)
        other = bisect_left(self._other_starts, end)
        stranger = self._other_starts[other] if other < len(self._other_starts) else len(self._low)
        while place < len(self._starts) and self._starts[place] - end <= _AFTER:
            start = self._starts[place]
            if self._stop(start) > end:
                break
            explains = self._kinds[place] == "order" and _EXPLAINS.match(self._low, end, start) is not None
            found.append(_Cue(self._kinds[place], start - end, stranger > start, explains))
            place += 1
        return found

    def _stop(self, before: int) -> int:
        """Where the last sentence that ends before a position has its stop; -1 if there is none."""
        return self._last(self._stops, before - 1)

    @staticmethod
    def _last(positions: list[int], limit: int) -> int:
        place = bisect_right(positions, limit)
        return positions[place - 1] if place else -1


def _in_key(word: str) -> str | None:
    """The kind in a key like `passportNumber`, if capitals part it."""
    if len(word) < len("niNo") or word.islower() or word.isupper():
        return None
    parts = [part.lower() for part in _HUMP.findall(word)]
    kinds = (
        PAIRS.get(pair) or CUES.get(pair[1])
        for pair in zip(["", *parts], parts, strict=False)
        if pair[1] not in _NO_KEYS
    )
    return next((kind for kind in kinds if kind not in _VAGUE), None) if len(parts) > 1 else None


def _abbreviated(low: str, stop: re.Match[str]) -> bool:
    return stop[0][0] == "." and _ABBREVIATED.search(low, max(0, stop.start() - 4), stop.start()) is not None


def _ordered(before: list[_Cue], after: list[_Cue]) -> bool:
    rivals = [cue.distance for cue in before if cue.kind not in _NO_RIVALS]
    # A cue behind the value stands in brackets: they don't make it farther.
    rivals += [cue.distance - 2 for cue in after if cue.kind not in _NO_RIVALS]
    orders = [cue.distance for cue in before + after if cue.kind == "order" and cue.tight and cue.explains]
    return bool(orders) and (not rivals or min(orders) <= min(rivals))
