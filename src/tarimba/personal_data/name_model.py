"""Layer 4, embedded: a conditional random field that marks the words of persons' names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from threading import Lock
from typing import Any, Final
from zlib import crc32

from tarimba.personal_data.gazetteer import Gazetteer
from tarimba.personal_data.name_features import features_of
from tarimba.personal_data.name_senses import Senses
from tarimba.personal_data.name_tokens import Words
from tarimba.personal_data.name_words import PARTICLES

FILE: Final = "names.crf"
PERSON: Final = "P"
_INSIDE: Final = 0.25
"""The probability from which on a word extends a name whose best word is above the threshold."""
_DOUBT: Final = {"XX": 0.85, "X": 0.85, "x": 0.75, "Xy": 0.75, "xX": 0.75, "Xx": 0.55}
"""What one word alone must reach by its shape if no list calls it a name: an abbreviation is hardly one."""
_DOUBT_ROW: Final = 0.5
"""What several such words must reach."""
_DOUBT_WORD: Final = 0.5
"""What one word alone must reach that is an ordinary word too."""
_DOUBT_NAMESAKE: Final = 0.97
"""What a place or company of several words must reach that is called like a person, with no word for one before."""
_NEVER: Final = 2.0
_MASK_MIN: Final = 2
_KNOWN: Final = 4
_RARE: Final = 2
_ORDINARY: Final = 3


@dataclass(frozen=True, slots=True)
class Scored:
    """A name at [start, end) of a text; `score` is the probability of its surest word.

    Words that no list calls a name must be surer: `least` says how sure.
    """

    start: int
    end: int
    first: int
    stop: int
    """Its words are [first, stop)."""
    score: float
    least: float = 0.0


class NameModel:
    """The model of this package, loaded when a text first needs it."""

    def __init__(self, known: Gazetteer, raw: bytes | None = None) -> None:
        self._known = known
        self._raw = raw
        # A tagger keeps the text that it was given last.
        self._lock = Lock()

    @cached_property
    def digest(self) -> int:
        """Of the model's file: part of the detectors' version."""
        return crc32(self._bytes)

    @cached_property
    def _bytes(self) -> bytes:
        return self._raw or (files("tarimba.personal_data") / "data" / FILE).read_bytes()

    @cached_property
    def _tagger(self) -> Any:
        import pycrfsuite  # type: ignore[import-untyped]

        tagger = pycrfsuite.Tagger()
        tagger.open_inmemory(self._bytes)
        return tagger

    def names(self, words: Words) -> Iterator[Scored]:
        """Every stretch of words that may be a name, with its score from 0 to 1."""
        return names_of(words, self.scores(words, Senses(words)))

    def scores(self, words: Words, senses: Senses) -> list[float]:
        """For each word the probability that it belongs to a person's name."""
        rows = features_of(words, self._known, senses=senses)
        if not rows:
            return []
        with self._lock:
            self._tagger.set(rows)
            if PERSON not in self._tagger.labels():
                return [0.0] * len(rows)
            # An empty row stands where no word near may be a name.
            return [self._tagger.marginal(PERSON, place) if row else 0.0 for place, row in enumerate(rows)]


def names_of(words: Words, scores: Sequence[float]) -> Iterator[Scored]:
    """Every stretch of words that may be a name by the scores of the words; none without scores."""
    place = 0
    while place < len(scores):
        if scores[place] < _INSIDE:
            place += 1
            continue
        end = _end(words, scores, place)
        where = (words.starts[place], words.ends[end - 1], place, end)
        yield Scored(*where, max(scores[place:end]), _least(words, place, end))
        place = end


def _end(words: Words, scores: Sequence[float], start: int) -> int:
    """Where a name ends: it goes on over particles and signs between two of its words."""
    end = at = start + 1
    while at < len(scores) and at - end < 2:
        if scores[at] >= _INSIDE:
            end = at + 1
        elif words.low[at] not in PARTICLES and words.low[at] not in {".", "-", "\n"}:
            break
        at += 1
    return end


def _least(words: Words, start: int, end: int) -> float:
    """The score below which the words [start, end) are no name."""
    letters = [place for place in range(start, end) if _spelled(words, place)]
    if not letters:
        return _NEVER
    if all(words.marks[place] in {"P", "B"} for place in letters) and not _announced(words, start):
        return _DOUBT_NAMESAKE
    if any(words.entries[place].first >= _KNOWN or words.entries[place].last >= _KNOWN for place in letters):
        # A common name in capitals among small letters is more often an abbreviation.
        return _DOUBT["x"] if len(letters) == 1 and _shouted(words, letters[0]) else 0.0
    if len(letters) > 1:
        return _DOUBT_ROW
    return _least_alone(words, letters[0])


def _least_alone(words: Words, place: int) -> float:
    """What a word alone must reach that no list holds as a common name."""
    entry, shape = words.entries[place], words.shapes[place]
    if entry.word == _ORDINARY:
        return _DOUBT_WORD
    if shape == "Xx" and entry.first >= _RARE:
        return 0.0
    return _DOUBT.get("x" if words.lines[place] == "C" else shape, _DOUBT["x"])


def _spelled(words: Words, place: int) -> bool:
    """Whether a word has letters alone, and more than one: no `L14`, no `ESXX` that hides a value."""
    shape, low = words.shapes[place], words.low[place]
    return shape[0] in "xX" and shape != "x0" and (len(low) < _MASK_MIN or low.count("x") * 2 < len(low))


def _announced(words: Words, start: int) -> bool:
    return any("T" in cues or "R" in cues for cues in words.cues[max(0, start - 2) : start])


def _shouted(words: Words, place: int) -> bool:
    return words.shapes[place] == "XX" and words.lines[place] != "C"
