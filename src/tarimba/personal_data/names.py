"""Names of persons in the readings of a text: by lists and cues (layer 2) and by the embedded model (layer 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from tarimba.personal_data import (
    name_disguises,
    name_features,
    name_model,
    name_rules,
    name_tokens,
    name_words,
)
from tarimba.personal_data.gazetteer import Gazetteer
from tarimba.personal_data.model import Finding
from tarimba.personal_data.name_disguises import glued, undisguised
from tarimba.personal_data.name_model import NameModel, Scored
from tarimba.personal_data.name_rules import names_by_list
from tarimba.personal_data.name_tokens import Words, words_of
from tarimba.personal_data.reading import Reading
from tarimba.personal_data.signature import constants
from tarimba.personal_data.views import View

KIND: Final = "name"
LISTS: Final = "lists"
MODEL: Final = "model"
RECALL_MIN: Final = 0.35
"""From this score on a name is refused where the writer is a model, which can say it another way."""
PRECISION_MIN: Final = 0.65
"""From this score on it is refused where a person writes."""


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
        modules = (name_disguises, name_features, name_model, name_rules, name_tokens, name_words)
        files = [str(self._known.digest), str(self._tagger.digest) if self._model else ""]
        return "\n".join([self.name, str((RECALL_MIN, PRECISION_MIN)), *files, *constants(modules)])

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
        return [(name.start, name.end, name.score) for name in self._scored(words_of(text, self._known))]

    def _in_view(self, view: View) -> Iterator[Finding]:
        yield from self._plain(view)
        if self._lists:
            for start, end in glued(view.text, self._known):
                yield Finding(KIND, *view.span(start, end), LISTS)
            other = undisguised(view, self._known)
            if other is not view:
                yield from self._plain(other)

    def _plain(self, view: View) -> Iterator[Finding]:
        words = words_of(view.text, self._known)
        if self._lists:
            for name in names_by_list(words):
                span = view.span(words.starts[name.start], words.ends[name.end - 1])
                yield Finding(KIND, *span, LISTS, name.sure)
        if self._model:
            for scored in self._scored(words):
                span = view.span(scored.start, scored.end)
                yield Finding(KIND, *span, MODEL, scored.score >= PRECISION_MIN)

    def _scored(self, words: Words) -> Iterator[Scored]:
        if _worth_asking(words):
            yield from (
                name for name in self._tagger.names(words) if name.score >= max(RECALL_MIN, name.least)
            )


def _worth_asking(words: Words) -> bool:
    """Whether any word may be a name at all: most sentences of a procedure have none."""
    return any(
        (shape[0] == "X" and entry.word < 3) or (entry.word < 2 and entry.first + entry.last > 2)
        for shape, entry in zip(words.shapes, words.entries, strict=True)
        if shape[0] in "xX"
    )
