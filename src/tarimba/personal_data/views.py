"""A view: a text as a reader would understand it, with the way back to the original offsets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Edit = tuple[int, int, str]
"""Replace the characters [start, end) of a view, start < end, by a text that may be empty."""


@dataclass(frozen=True, slots=True)
class View:
    """Character `i` of `text` stands for the original code points [starts[i], ends[i]).

    Both sequences never decrease, so a span of the view is one span of the original.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> View:
        """The view that is the original itself."""
        return cls(text, range(len(text)), range(1, len(text) + 1))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original offsets behind the characters [start, end) of this view, start < end."""
        return self.starts[start], self.ends[end - 1]

    def rewrite(self, edits: Iterable[Edit]) -> View:
        """This view with sorted, separate edits applied; the same object if there are none.

        Every character of a replacement stands for the whole stretch that it replaces.
        """
        texts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for start, end, new in edits:
            texts += (self.text[at:start], new)
            starts += self.starts[at:start]
            starts += [self.starts[start]] * len(new)
            ends += self.ends[at:start]
            ends += [self.ends[end - 1]] * len(new)
            at = end
        if not at:
            return self
        texts.append(self.text[at:])
        starts += self.starts[at:]
        ends += self.ends[at:]
        return View("".join(texts), starts, ends)
