"""One view under inspection: its plain form, its cue words and the stretches that are harmless by their shape."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from tarimba.personal_data.cues import Cues, Near
from tarimba.personal_data.fold import plain

_HARMLESS: Final = re.compile(
    # UUID
    r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"
    # IPv4, with a port or a prefix length
    r"|(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:[:/]\d{1,5})?(?![\d.]\d|\d)"
    # date and time, in the order of ISO 8601 or day first
    r"|(?<!\d)(?:19|20)\d\d([-/.])(?:0[1-9]|1[0-2])\1(?:[0-2]\d|3[01])(?!\d)"
    r"(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?"
    r"|(?<!\d)(?:[0-2]?\d|3[01])([-/.])(?:0?[1-9]|1[0-2])\2(?:19|20)\d\d(?!\d)(?: \d\d:\d\d(?::\d\d)?)?"
    r"|(?<!\d)20[0-4]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[T_-]?[0-2]\d[0-5]\d(?:[0-5]\d)?)?(?!\d)"
    # money
    r"|(?:R\$|US\$|[$€£]|\b(?:BRL|USD|EUR|ARS|GBP|MXN)) ?-?\d[\d.,]*"
)
_CHAIN: Final = re.compile(r"\d++(?:(?:[\W_]{1,3}| [/:=_-]{1,3} )\d++)*+")
_GROUP: Final = re.compile(r"\d+")
_FRACTION: Final = re.compile(r"\.\d|,\d{1,2}(?!\d)")
_CODE_BEFORE: Final = re.compile(r"(?<![A-Za-z])[A-Z]{2,6}[:#]?[ -]{0,2}$")
_WORDS: Final = re.compile(r"[a-z]+\d{0,2}")
_NUMERO: Final = re.compile(r"(?:^|[^0-9a-z])n[or]$")
_GROUPS_MAX: Final = 20
_LETTERS_BEFORE: Final = 16


class Hit(NamedTuple):
    """A kind at [start, end) of a view. `cued` says that a cue word of that kind stands near."""

    kind: str
    start: int
    end: int
    cued: bool = False


class Window(NamedTuple):
    """Some neighbouring groups of digits of a text, read as one number."""

    start: int
    end: int
    digits: str


class Scan:
    """A view's text with what the rules ask of it, each computed at most once."""

    __slots__ = ("_cues", "_harmless", "_near", "_words", "low", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.low = plain(text)
        self._cues: Cues | None = None
        self._harmless: list[tuple[int, int]] | None = None
        self._near: dict[tuple[int, int], Near] = {}
        self._words: frozenset[str] | None = None

    def near(self, start: int, end: int) -> Near:
        """The cues around [start, end)."""
        found = self._near.get((start, end))
        if found is None:
            if self._cues is None:
                self._cues = Cues(self.text, self.low)
            found = self._near[start, end] = self._cues.near(start, end)
        return found

    def words(self) -> frozenset[str]:
        """The words of the plain form: letters, and digits behind them."""
        if self._words is None:
            self._words = frozenset(_WORDS.findall(self.low))
        return self._words

    def harmless(self, start: int, end: int) -> bool:
        """Whether [start, end) touches a date, an IP address, a UUID or an amount of money."""
        if self._harmless is None:
            self._harmless = [m.span() for m in _HARMLESS.finditer(self.text)]
        # The stretches are sorted and apart: only the last one that starts before `end` can touch.
        at = bisect_right(self._harmless, (end - 1, len(self.text)))
        return at > 0 and self._harmless[at - 1][1] > start

    def apart(self, start: int, end: int) -> bool:
        """Whether the number at [start, end) stands alone: no part of a hash, a decimal or a longer code.

        Letters right before it are fine if they are a cue (`cpf529...`), and an underscore separates.
        """
        if self.text[end : end + 1].isalnum() or _FRACTION.match(self.text, end):
            return False
        if start >= 2 and self.text[start - 1] == "." and self.text[start - 2].isdigit():
            return False
        return self.free(start) or self._cue_ends_at(start)

    def free(self, start: int) -> bool:
        """Whether no letter or digit stands right before a number, but for the `no` of `no705...`."""
        return not self.text[start - 1 : start].isalnum() or bool(
            _NUMERO.search(self.low[max(0, start - 4) : start])
        )

    def coded(self, start: int) -> bool:
        """Whether capitals that are no cue stand right before a number: `CHG 418-27-0093` is one of a series."""
        before = _CODE_BEFORE.search(self.text[max(0, start - 10) : start])
        return before is not None and not self.near(start, start).kinds - {"order", "doc"}

    def _cue_ends_at(self, start: int) -> bool:
        letters = re.search(r"[a-z]+$", self.low[max(0, start - _LETTERS_BEFORE) : start])
        return letters is not None and bool(self.near(start, start).kinds - {"order", "doc"})

    def chains(self) -> Iterator[tuple[int, int]]:
        """Stretches of digit groups with at most three other characters between two of them, no letters."""
        return (m.span() for m in _CHAIN.finditer(self.text))

    def windows(self, start: int, end: int) -> Iterator[Window]:
        """The readings of the chain [start, end) as one number: its first groups, or its last ones."""
        head = self._groups(start, end)
        yield from _readings(self.text, head)
        if len(head) == _GROUPS_MAX:
            tail = [m.span() for m in _GROUP.finditer(self.text, max(start, end - 3 * _GROUPS_MAX), end)]
            yield from _readings(self.text, tail[-_GROUPS_MAX:])

    def _groups(self, start: int, end: int) -> list[tuple[int, int]]:
        groups: list[tuple[int, int]] = []
        for match in _GROUP.finditer(self.text, start, end):
            groups.append(match.span())
            if len(groups) == _GROUPS_MAX:
                break
        return groups


def _readings(text: str, groups: list[tuple[int, int]]) -> Iterator[Window]:
    """Windows that start at one of the first three groups or end at one of the last three."""
    last = len(groups) - 1
    for first, (start, _) in enumerate(groups):
        digits = ""
        for place in range(first, len(groups)):
            digits += text[groups[place][0] : groups[place][1]]
            if len(digits) > 22:
                break
            if len(digits) >= 7 and (first < 3 or place > last - 3):
                yield Window(start, groups[place][1], digits)
