"""The models of this package that judge words: several, trained to trust lists more or less, that agree on one view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from math import prod
from threading import Lock
from typing import Any, Final
from zlib import crc32

FILES: Final = ("names-1.crf", "names-2.crf")
PERSON: Final = "P"
_SURE: Final = 1e-6
"""No model is surer than this: the others would not count."""


class Judges:
    """Conditional random fields that see the same rows, loaded when a text first needs them."""

    def __init__(self, raws: Sequence[bytes] | None = None) -> None:
        self._given = raws
        # A tagger keeps the text that it was given last.
        self._lock = Lock()

    @cached_property
    def digest(self) -> int:
        """Of the models' files: part of the detectors' version."""
        return crc32(b"".join(self._raws))

    @cached_property
    def _raws(self) -> Sequence[bytes]:
        # A tagger reads from these bytes as long as it lives.
        data = files("tarimba.personal_data") / "data"
        return self._given or tuple((data / name).read_bytes() for name in FILES)

    @cached_property
    def _taggers(self) -> Sequence[Any]:
        import pycrfsuite  # type: ignore[import-untyped]

        taggers = [pycrfsuite.Tagger() for _ in self._raws]
        for tagger, raw in zip(taggers, self._raws, strict=True):
            tagger.open_inmemory(raw)
        # One that was trained on no person at all knows no such label.
        return [tagger for tagger in taggers if PERSON in tagger.labels()]

    def persons(self, rows: Sequence[Sequence[str]]) -> list[float]:
        """For each row of features the probability of a person: the mean of what the models say, as log odds.

        An empty row stands where no word near may be a name: 0.
        """
        import pycrfsuite

        # Made once for all of them: it takes longer than to judge.
        items = pycrfsuite.ItemSequence(rows)
        with self._lock:
            each = [_marginals(tagger, items, rows) for tagger in self._taggers]
        return [_agreed(said) if row else 0.0 for row, *said in zip(rows, *each, strict=True)]


def _marginals(tagger: Any, items: Any, rows: Sequence[Sequence[str]]) -> list[float]:
    tagger.set(items)
    return [tagger.marginal(PERSON, place) if row else 0.0 for place, row in enumerate(rows)]


def _agreed(said: Sequence[float]) -> float:
    if not said:
        return 0.0
    bounded = [min(max(one, _SURE), 1 - _SURE) for one in said]
    against = prod((1 - one) / one for one in bounded) ** (1 / len(said))
    return float(1 / (1 + against))
