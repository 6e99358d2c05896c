"""Names of persons in the readings of a text: by lists and cues (layer 2) and by the embedded model (layer 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final

from tarimba.personal_data import (
    name_context,
    name_disguises,
    name_features,
    name_judges,
    name_model,
    name_nouns,
    name_rules,
    name_senses,
    name_tokens,
    name_words,
)
from tarimba.personal_data.gazetteer import Gazetteer
from tarimba.personal_data.model import Finding
from tarimba.personal_data.name_disguises import glued, spelled_out, undisguised
from tarimba.personal_data.name_features import maybe_named
from tarimba.personal_data.name_model import PRECISION_MIN, RECALL_MIN, NameModel, Scored, names_of
from tarimba.personal_data.name_rules import Name, names_by_list
from tarimba.personal_data.name_senses import Senses
from tarimba.personal_data.name_tokens import Words, words_of
from tarimba.personal_data.reading import Reading
from tarimba.personal_data.signature import constants
from tarimba.personal_data.views import View

KIND: Final = "name"
LISTS: Final = "lists"
MODEL: Final = "model"
DENIED_MAX: Final[Mapping[str, float]] = MappingProxyType({"": 0.05, "T": 0.1, "R": 0.01, "F": 0.0})
"""Below this probability a name that only the lists see is none, by what announces it: goods, ships and streets have
titles too, but little is announced by a word for a customer. Of letters that it can't read it knows nothing."""


class Names:
    """Both layers over one look at the words, with `model=False` only the lists, with `lists=False` only the model."""

    def __init__(self, *, lists: bool = True, model: bool = True) -> None:
        self._lists = lists
        self._model = model

    @property
    def name(self) -> str:
        return "+".join([LISTS] * self._lists + [MODEL] * self._model)

    @cached_property
    def signature(self) -> str:
        """Every word, pattern and file that the layers go by."""
        known = constants(
            name_context,
            name_disguises,
            name_features,
            name_judges,
            name_model,
            name_nouns,
            name_rules,
            name_senses,
            name_tokens,
            name_words,
        )
        files = [str(self._known.digest), str(self._tagger.digest) if self._model else ""]
        return "\n".join([self.name, str(sorted(DENIED_MAX.items())), *files, known])

    @cached_property
    def _known(self) -> Gazetteer:
        return Gazetteer.shipped()

    @cached_property
    def _tagger(self) -> NameModel:
        return NameModel(self._known)

    def find(self, readings: Sequence[Reading], /) -> Iterator[Finding]:
        """Findings of the kind `name` in the offsets of the original text, possibly overlapping."""
        for reading in readings:
            if not reading.needs_cue:
                yield from self._in_view(reading.view)

    def tag(self, text: str) -> list[tuple[int, int, float]]:
        """Start, end and score from 0 to 1 of every likely name in a text as it stands, in order."""
        words = words_of(text, self._known)
        scores = self._tagger.scores(words, Senses(words)) if maybe_named(words) else []
        return [(name.start, name.end, name.score) for name in _likely(words, scores)]

    def _in_view(self, view: View) -> Iterator[Finding]:
        yield from self._plain(view)
        if self._lists:
            for start, end in (*glued(view.text, self._known), *spelled_out(view.text)):
                yield Finding(KIND, *view.span(start, end), LISTS)
            other = undisguised(view, self._known)
            if other is not view:
                yield from self._plain(other)

    def _plain(self, view: View) -> Iterator[Finding]:
        words = words_of(view.text, self._known)
        senses = Senses(words)
        scores = self._tagger.scores(words, senses) if self._model and maybe_named(words) else []
        if self._lists:
            for name in names_by_list(words):
                if not senses.pardoned(name.start, name.end) and not _denied(name, scores):
                    span = view.span(words.starts[name.start], words.ends[name.end - 1])
                    yield Finding(KIND, *span, LISTS, name.sure)
        for scored in _likely(words, scores):
            if not senses.pardoned(scored.first, scored.stop):
                span = view.span(scored.start, scored.end)
                yield Finding(KIND, *span, MODEL, scored.score >= PRECISION_MIN)


def _likely(words: Words, scores: Sequence[float]) -> Iterator[Scored]:
    return (name for name in names_of(words, scores) if name.score >= RECALL_MIN)


def _denied(name: Name, scores: Sequence[float]) -> bool:
    """Whether the model is all but certain that what the lists take for a name is none: it sees more around it."""
    return bool(scores) and max(scores[name.start : name.end]) < DENIED_MAX[name.announced]
