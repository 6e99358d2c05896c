"""Where the frontmatter lies, and which of its lines belong to which top-level key. Pure, linear in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tarimba.skills.flow import lines_to_close, pairs
from tarimba.skills.report import Report

READ_KEYS: Final = ("name", "description")

_FENCE: Final = re.compile(r"---[ \t]*")
_COLON: Final = re.compile(r":(?=[ \t]|$)")
_QUOTED_KEY: Final = re.compile(r"""(["'])([^"'\\]{1,200})\1[ \t]*$""")
_NO_KEY: Final = "\"'#[]{},&*!|>%@`"
_KEY_MAX: Final = 200
_TIGHT_KEY: Final = re.compile(r"(name|description):(?=\S)")
_INDENT: Final = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class Split:
    """The lines between the fences, the number of the first of them in the file, and what follows the closing one."""

    head: list[str]
    first: int
    body: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One top-level key: what follows its colon, and the lines below that belong to it. `line` counts in the file."""

    key: str
    line: int
    value: str
    more: list[str] = field(default_factory=list)


def split(text: str, report: Report) -> Split | None:
    """The frontmatter of a text with LF; None (and told) where a fence is missing."""
    lines = text.split("\n")
    opening = next((at for at, line in enumerate(lines) if line.strip(" \t")), len(lines))
    if opening == len(lines) or _FENCE.fullmatch(lines[opening]) is None:
        report.tell(min(opening + 1, len(lines)), "no-opening-fence")
        return None
    if opening > 0:
        report.tell(1, "leading-blank")
    closing = next((at for at in range(opening + 1, len(lines)) if _FENCE.fullmatch(lines[at])), None)
    if closing is None:
        report.tell(opening + 1, "no-closing-fence")
        return None
    for at in (opening, closing):
        if lines[at] != "---":
            report.tell(at + 1, "fence-space")
    return Split(lines[opening + 1 : closing], opening + 2, "\n".join(lines[closing + 1 :]))


def entries(found: Split, report: Report) -> list[Entry]:
    """Every top-level key with its lines. Lines that belong to none are told."""
    text = "\n".join(found.head).strip()
    if text.startswith("{"):
        return _of_map(text, found)
    return _Grouping(found, report).entries()


class _Grouping:
    """Goes through the lines once; `_may_join` ends the search for far quotes once one was in vain: that bounds it."""

    def __init__(self, found: Split, report: Report) -> None:
        self._lines, self._first, self._report = found.head, found.first, report
        contents = (line for line in found.head if line.strip() and not line.lstrip().startswith("#"))
        self._indent = _indent(next(contents, ""))
        self._entries: list[Entry] = []
        self._may_join = True

    def entries(self) -> list[Entry]:
        at = 0
        while at < len(self._lines):
            at += 1 + self._take(at)
        return self._entries

    def _take(self, at: int) -> int:
        """Puts one line where it belongs; answers how many of the next ones went with it."""
        line = self._lines[at]
        if line.startswith("\t") and line.strip():
            self._report.tell(self._first + at, "tab-indent")
        if not line.strip() or _indent(line) > self._indent:
            self._add(at)
        elif line.lstrip().startswith("#"):
            return 0
        elif (entry := self._opened(at)) is not None:
            self._entries.append(entry)
            return self._join(entry, at)
        elif self._is_item(line):
            self._add(at)
        else:
            self._report.tell(self._first + at, "stray-line")
        return 0

    def _add(self, at: int) -> None:
        if self._entries:
            self._entries[-1].more.append(self._lines[at])
        elif self._lines[at].strip() and not self._lines[at].lstrip().startswith("#"):
            self._report.tell(self._first + at, "stray-line")

    def _opened(self, at: int) -> Entry | None:
        line = self._lines[at].lstrip(" \t")
        number = self._first + at
        if (colon := _COLON.search(line)) is not None and (key := _key(line[: colon.start()])):
            return Entry(key, number, line[colon.end() :].strip(" \t"))
        if (tight := _TIGHT_KEY.match(line)) is None:
            return None
        self._report.tell(number, "missing-space")
        return Entry(tight[1], number, line[tight.end() :].strip(" \t"))

    def _join(self, entry: Entry, at: int) -> int:
        """A quote or a bracket may run on over lines that look like keys of their own."""
        if not self._may_join or entry.value[:1] not in {'"', "'", "[", "{"}:
            return 0
        taken = lines_to_close(self._lines, at, entry.value)
        if taken is None:
            self._may_join = False
            return 0
        entry.more.extend(self._lines[at + 1 : at + 1 + taken])
        return taken

    def _is_item(self, line: str) -> bool:
        """Whether the line is an item of a list that stands as far left as its key."""
        return (
            (line.lstrip(" \t") + " ").startswith("- ")
            and bool(self._entries)
            and not self._entries[-1].value
        )


def _of_map(text: str, found: Split) -> list[Entry]:
    number = found.first + next(at for at, line in enumerate(found.head) if line.strip())
    entries: list[Entry] = []
    seen = 0
    for place, key, value in pairs(text) or ():
        number += text.count("\n", seen, place)
        seen = place
        entries.append(Entry(key.strip("\"'"), number, value))
    return entries


def _key(text: str) -> str:
    """The key that is written so, "" if none can be."""
    if (quoted := _QUOTED_KEY.match(text)) is not None:
        return quoted[2]
    is_plain = 0 < len(text) <= _KEY_MAX and text[0] not in _NO_KEY and not text.startswith("- ")
    return text.strip(" \t") if is_plain else ""


def _indent(line: str) -> int:
    found = _INDENT.match(line)
    return found.end() if found else 0


def values_of(entry: Entry) -> Sequence[str]:
    """The value and the lines below it, each without the space around it."""
    return [entry.value, *(line.strip(" \t") for line in entry.more)]
