"""Many texts in few requests: the readings of the texts, one after another, with the way back to each of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.personal_data.decoding import joined, unescaped, unmarked
from tarimba.personal_data.fold import fold
from tarimba.personal_data.model import Finding
from tarimba.personal_data.model_server.contract import TEXT_MAX, Entity
from tarimba.personal_data.views import View

BETWEEN: Final = "\n\n"
OVERLAP: Final = 200
"""Code points that two windows of a long text share: no name is longer, so one of them holds it whole."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The characters [start, end) of a view of the text of that number."""

    number: int
    view: View
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Page:
    """Stretches between blank lines, and where each begins. At most `TEXT_MAX` code points."""

    text: str
    stretches: tuple[Stretch, ...]
    seams: tuple[int, ...]

    def findings(self, entity: Entity, kind: str, layer: str) -> Iterator[tuple[int, Finding]]:
        """What an answer about the page covers of each text: the number of the text and the finding in it."""
        place = bisect_right(self.seams, entity.start) - 1
        while place < len(self.seams) and self.seams[place] < entity.end:
            stretch, at = self.stretches[place], self.seams[place]
            start, end = max(entity.start - at, 0), min(entity.end - at, stretch.size)
            if start < end and not self.text[at + start : at + end].isspace():
                span = stretch.view.span(stretch.start + start, stretch.start + end)
                yield stretch.number, Finding(kind, *span, layer)
            place += 1


def pages(texts: Sequence[str]) -> list[Page]:
    """The texts as a model reads them, what is escaped, spaced out or marked up also as it is meant."""
    done: list[Page] = []
    waiting: list[Stretch] = []
    size = 0
    for stretch in _stretches(texts):
        if waiting and size + stretch.size > TEXT_MAX:
            done.append(_page(waiting))
            waiting, size = [], 0
        waiting.append(stretch)
        size += stretch.size + len(BETWEEN)
    return [*done, _page(waiting)] if waiting else done


def _stretches(texts: Sequence[str]) -> Iterator[Stretch]:
    for number, text in enumerate(texts):
        for view in _views(text):
            yield from (Stretch(number, view, start, end) for start, end in _windows(view.text))


def _views(text: str) -> Iterable[View]:
    # Not the readings of the rules: words that stand for digits show no name, and a model pays for every reading.
    folded = fold(text)
    both = (folded, joined(unmarked(unescaped(folded))))
    return (view for view in {view.text: view for view in both}.values() if any(map(str.isalpha, view.text)))


def _windows(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while len(text) - start > TEXT_MAX:
        yield start, start + TEXT_MAX
        start += TEXT_MAX - OVERLAP
    yield start, len(text)


def _page(stretches: Sequence[Stretch]) -> Page:
    texts = [one.view.text[one.start : one.end] for one in stretches]
    seams: list[int] = []
    at = 0
    for text in texts:
        seams.append(at)
        at += len(text) + len(BETWEEN)
    return Page(BETWEEN.join(texts), tuple(stretches), tuple(seams))
