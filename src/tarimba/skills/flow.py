"""Quoted and bracketed values, line by line: where they end, and whether they end well. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_DEPTH_MAX: Final = 64
_CLOSES: Final = {"[": "]", "{": "}"}


class Scanner:
    """Follows one value that opens with a quote or a bracket.

    `is_closed`: its end was seen. `is_bad`: something stands where nothing may. `end`: the column behind the closing
    sign on its line. `marks`: places of the `,` and `:` of the outermost bracket, counted over everything fed.
    """

    def __init__(self) -> None:
        self.is_closed = False
        self.is_bad = False
        self.end = 0
        self.marks: list[tuple[int, str]] = []
        self._stack: list[str] = []
        self._quote = ""
        self._is_fresh = True
        self._was_quoted = False
        self._fed = 0

    def feed(self, line: str) -> None:
        """Looks at one more line, without its line break."""
        at = 0
        while at < len(line) and not self.is_bad:
            if not (self._quote or self.is_closed) and _is_comment(line, at):
                break
            at = self._step(line, at)
        self._fed += len(line) + 1

    def _step(self, line: str, at: int) -> int:
        char = line[at]
        if self._quote:
            return self._inside_quote(line, at)
        if self.is_closed:
            # A comment may follow, text may not.
            self.is_bad = not (char.isspace() or _is_comment(line, at))
            return len(line) if char == "#" else at + 1
        if char in "\"'" and self._is_fresh:
            self._quote = char
        elif char in "[{":
            self._open(char)
        elif char in "]}":
            self._close(char, at)
        else:
            self._plain(line, at)
        return at + 1

    def _inside_quote(self, line: str, at: int) -> int:
        if line[at] == "\\" and self._quote == '"':
            return at + 2
        if line[at] != self._quote:
            return at + 1
        if self._quote == "'" and line[at + 1 : at + 2] == "'":
            return at + 2
        self._quote, self._is_fresh, self._was_quoted = "", False, True
        self._end_here(at)
        return at + 1

    def _open(self, char: str) -> None:
        self.is_bad = not self._is_fresh or len(self._stack) >= _DEPTH_MAX
        self._stack.append(_CLOSES[char])

    def _close(self, char: str, at: int) -> None:
        self.is_bad = not self._stack or self._stack.pop() != char
        self._is_fresh, self._was_quoted = False, True
        self._end_here(at)

    def _plain(self, line: str, at: int) -> None:
        char = line[at]
        is_mark = char == "," or (
            char == ":" and (self._was_quoted or line[at + 1 : at + 2] in {"", " ", "\t", "\n"})
        )
        if is_mark:
            self._is_fresh, self._was_quoted = True, False
            if len(self._stack) == 1:
                self.marks.append((self._fed + at, char))
        elif not char.isspace():
            self._is_fresh = self._was_quoted = False

    def _end_here(self, at: int) -> None:
        if not self._stack:
            self.is_closed, self.end = True, at + 1


def scanned(lines: Sequence[str]) -> Scanner:
    """The scanner after these lines."""
    scanner = Scanner()
    for line in lines:
        scanner.feed(line)
    return scanner


def lines_to_close(lines: Sequence[str], at: int, value: str) -> int | None:
    """How many lines behind `lines[at]` a value opened there takes: 0 if it ends on its own, None if it never does."""
    scanner = Scanner()
    scanner.feed(value)
    taken = 0
    while not scanner.is_closed and not scanner.is_bad and at + taken + 1 < len(lines):
        taken += 1
        scanner.feed(lines[at + taken])
    if taken == 0:
        return 0 if scanner.is_closed or scanner.is_bad else None
    return taken if scanner.is_closed and not scanner.is_bad else None


def pairs(text: str) -> list[tuple[int, str, str]] | None:
    """(place, key, value) as written, of a text that is one flow map and nothing else; None if it is none."""
    scanner = scanned([text.rstrip()])
    if scanner.is_bad or not scanner.is_closed or not text.startswith("{"):
        return None
    found: list[tuple[int, str, str]] = []
    start, colon = 1, None
    for place, sign in [*scanner.marks, (scanner.end - 1, ",")]:
        if sign == ":":
            colon = place if colon is None else colon
            continue
        middle = place if colon is None else colon
        if key := text[start:middle].strip():
            found.append((start, key, text[middle + 1 : place].strip()))
        start, colon = place + 1, None
    return found


def _is_comment(line: str, at: int) -> bool:
    return line[at] == "#" and (at == 0 or line[at - 1].isspace())
