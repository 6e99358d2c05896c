"""Ordinary technical text: how many of its paragraphs would be refused, each listed by its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.scoring import Rate

SAMPLES: Final = Path(__file__).parent / "samples"
_BLANK_LINES: Final = re.compile(r"\n\s*\n")


class Paragraph(NamedTuple):
    """`place` is a file, or a path inside a corpus, and the number of the paragraph in it."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Plain:
    """What was refused of one source: places with their kinds. `named` counts refusals that only a name causes."""

    source: str
    rate: Rate
    named: Rate
    refused: tuple[tuple[str, tuple[str, ...]], ...]

    def lines(self) -> Iterator[str]:
        low, high = self.rate.interval
        yield (
            f"{self.source}: {self.rate.hits} of {self.rate.total} paragraphs refused, {self.rate.share:.2%}"
            f" [{low:.2%}, {high:.2%}]; for a name alone {self.named.hits}, {self.named.share:.2%}"
        )
        for place, kinds in self.refused:
            yield f"  {place} ({', '.join(kinds)})"


def sources(path: Path) -> list[Path]:
    """A corpus (`*.jsonl` with `path` and `text`) or a text file itself; every text file of a folder."""
    return sorted(path.glob("*.txt")) if path.is_dir() else [path]


def paragraphs(path: Path) -> list[Paragraph]:
    """The paragraphs of a file; what stands between two blank lines is one."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".jsonl":
        return list(_split(path.name, text))
    rows = [json.loads(line) for line in text.splitlines()]
    return [found for row in rows for found in _split(f"{row['repo']}/{row['path']}", row["text"])]


def _split(place: str, text: str) -> Iterator[Paragraph]:
    for number, part in enumerate(_BLANK_LINES.split(text), start=1):
        if part.strip():
            yield Paragraph(f"{place}#{number}", part.strip("\n"))


def measured(source: str, found: Sequence[Paragraph], detectors: Detectors) -> Plain:
    """Checks each paragraph as the body of a note."""
    kinds = {paragraph: detectors.check({"body": paragraph.text}).kinds for paragraph in found}
    refused = tuple((paragraph.place, said) for paragraph, said in kinds.items() if said)
    named = sum(said == ("name",) for _, said in refused)
    total = len(kinds)
    return Plain(source, Rate(len(refused), total), Rate(named, total), refused)
