"""Layer 4, embedded: conditional random fields that mark the words of persons' names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.personal_data.gazetteer import Gazetteer
from tarimba.personal_data.name_features import features_of
from tarimba.personal_data.name_judges import Judges
from tarimba.personal_data.name_senses import Senses
from tarimba.personal_data.name_tokens import Words
from tarimba.personal_data.name_words import PARTICLES

RECALL_MIN: Final = 0.4
"""From this score on a name is refused where the writer is a model, which can say it another way."""
PRECISION_MIN: Final = 0.65
"""From this score on it is refused where a person writes."""
_INSIDE: Final = 0.12
"""The probability from which on a word belongs to a name."""
_SEVERAL: Final = (0.15, 0.4)
"""The probabilities that several words with capitals must reach to be refused, to agents and to people."""
_SEVERAL_UNKNOWN: Final = (0.15, 0.5)
"""The same if no list calls one of them a common name."""
_ALONE: Final = (0.45, 0.75)
"""What one word alone must reach that lists call a name."""
_ALONE_UNKNOWN: Final = {"XX": 0.85, "X": 0.85, "x": 0.75, "Xy": 0.75, "xX": 0.75, "Xx": 0.5}
"""What one word alone must reach by its shape if no list calls it a name: an abbreviation is hardly one."""
_NAMESAKE: Final = 0.97
"""What a place or company of several words must reach that is called like a person, with no word for one before."""
_NEVER: Final = (2.0, 2.0)
_SURER: Final = 0.2
"""So much more a word must reach for people than for agents where only one figure is given."""
_MASK_MIN: Final = 2
_KNOWN: Final = 4
_RARE: Final = 2
_ORDINARY: Final = 3
_SPOKEN_MIN: Final = 3


@dataclass(frozen=True, slots=True)
class Scored:
    """A name at [start, end) of a text, with a score from 0 to 1 that means the same for names of every kind."""

    start: int
    end: int
    first: int
    stop: int
    """Its words are [first, stop)."""
    score: float


class NameModel:
    """What the models of this package say of a text."""

    def __init__(self, known: Gazetteer, judges: Judges | None = None) -> None:
        self._known = known
        self._judges = judges or Judges()

    @property
    def digest(self) -> int:
        """Of the models' files: part of the detectors' version."""
        return self._judges.digest

    def names(self, words: Words) -> Iterator[Scored]:
        """Every stretch of words that may be a name, with its score from 0 to 1."""
        return names_of(words, self.scores(words, Senses(words)))

    def scores(self, words: Words, senses: Senses) -> list[float]:
        """For each word the probability that it belongs to a person's name."""
        rows = features_of(words, self._known, senses=senses)
        return _agreed(words, self._judges.persons(rows)) if rows else []


def _agreed(words: Words, scores: list[float]) -> list[float]:
    """A word that looks less like a name elsewhere in the text counts no more here than it does on average."""
    places: dict[str, list[int]] = {}
    for place, low in enumerate(words.low):
        if scores[place] and len(low) >= _SPOKEN_MIN and words.entries[place].word < _ORDINARY:
            places.setdefault(low, []).append(place)
    for same in places.values():
        mean = sum(scores[place] for place in same) / len(same)
        for place in same:
            scores[place] = min(scores[place], mean)
    return scores


def names_of(words: Words, scores: Sequence[float]) -> Iterator[Scored]:
    """Every stretch of words that may be a name by the scores of the words; none without scores."""
    place = 0
    while place < len(scores):
        if scores[place] < _INSIDE:
            place += 1
            continue
        end = _end(words, scores, place)
        where = (words.starts[place], words.ends[end - 1], place, end)
        yield Scored(*where, _even(max(scores[place:end]), *_wanted(words, place, end)))
        place = end


def _even(score: float, recall: float, precision: float) -> float:
    """The score on one scale, on which the two probabilities that it is held against are the two of this module."""
    if score < recall:
        return RECALL_MIN * score / recall
    if score < precision:
        return RECALL_MIN + (PRECISION_MIN - RECALL_MIN) * (score - recall) / (precision - recall)
    return PRECISION_MIN + (1 - PRECISION_MIN) * (score - precision) / (1 - precision)


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


def _wanted(words: Words, start: int, end: int) -> tuple[float, float]:
    """The probabilities that the words [start, end) must reach to be refused, to agents and to people."""
    letters = [place for place in range(start, end) if _spelled(words, place)]
    if not letters:
        return _NEVER
    if all(words.marks[place] in {"P", "B"} for place in letters) and not _announced(words, start):
        return _above(_NAMESAKE)
    listed = any(words.entries[at].first >= _KNOWN or words.entries[at].last >= _KNOWN for at in letters)
    loud = [at for at in letters if words.shapes[at][0] == "X" or words.listed(at)]
    if len(loud) > 1:
        return _SEVERAL if listed else _SEVERAL_UNKNOWN
    if listed:
        # A common name in capitals among small letters is more often an abbreviation.
        shouted = len(letters) == 1 and _shouted(words, letters[0])
        return _above(_ALONE_UNKNOWN["x"]) if shouted else _ALONE
    return _above(_alone(words, letters[0]))


def _above(least: float) -> tuple[float, float]:
    return least, least + _SURER * (1 - least)


def _alone(words: Words, place: int) -> float:
    """What a word alone must reach that no list holds as a common name."""
    entry, shape = words.entries[place], words.shapes[place]
    if entry.word == _ORDINARY or (shape == "Xx" and entry.first >= _RARE):
        return _ALONE[0]
    return _ALONE_UNKNOWN.get("x" if words.lines[place] == "C" else shape, _ALONE_UNKNOWN["x"])


def _spelled(words: Words, place: int) -> bool:
    """Whether a word has letters alone, and more than one: no `L14`, no `ESXX` that hides a value."""
    shape, low = words.shapes[place], words.low[place]
    return shape[0] in "xX" and shape != "x0" and (len(low) < _MASK_MIN or low.count("x") * 2 < len(low))


def _announced(words: Words, start: int) -> bool:
    return any("T" in cues or "R" in cues for cues in words.cues[max(0, start - 2) : start])


def _shouted(words: Words, place: int) -> bool:
    return words.shapes[place] == "XX" and words.lines[place] != "C"
