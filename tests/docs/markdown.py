"""Reads our Markdown: its fenced blocks, its headings and its links."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.house import ROOT

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: the words after the three backticks, and what is in it."""

    words: tuple[str, ...]
    text: str

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""


def documents() -> list[Path]:
    """README in both languages and everything under docs/."""
    return [*sorted(ROOT.glob("README*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def fences(path: Path) -> list[Fence]:
    return [Fence(tuple(one["info"].split()), one["text"]) for one in _FENCE.finditer(_text(path))]


def headings(path: Path) -> list[tuple[int, str]]:
    """(level, title) in order."""
    return [(len(marks), title) for marks, title in _HEADING.findall(_prose(path))]


def anchors(path: Path) -> set[str]:
    """What `#...` can point at, by the rule of the common renderers."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for _, title in headings(path)}


def links(path: Path) -> Iterator[str]:
    """Targets of links, but for those to other hosts."""
    return (target for target in _LINK.findall(_prose(path)) if "://" not in target)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _prose(path: Path) -> str:
    return _FENCE.sub("", _text(path))
