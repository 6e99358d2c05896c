"""The corpora that training may use: LeNER-Br rows with labels, skill files as texts without persons."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zlib import crc32

from tarimba.personal_data.gazetteer import Gazetteer
from tarimba.personal_data.name_tokens import words_of
from training.compose import COMPANY, OTHER, PERSON, PLACE, Sample

LENER_LABELS: Final = {"PESSOA": PERSON, "ORGANIZACAO": COMPANY, "LOCAL": PLACE}
PARAGRAPH: Final = re.compile(r"\n\s*\n")
PARAGRAPH_MAX: Final = 1500


def lener(directory: Path, name: str = "train") -> Iterator[Sample]:
    """The sentences of a CoNLL file, words with single blanks between them."""
    rows: list[tuple[str, str]] = []
    for line in [*(directory / f"{name}.conll").read_text(encoding="utf-8").splitlines(), ""]:
        if line.strip():
            word, tag = line.split()
            rows.append((word, LENER_LABELS.get(tag.partition("-")[2], OTHER)))
        elif rows:
            yield _sample(rows)
            rows = []


def _sample(rows: list[tuple[str, str]]) -> Sample:
    spans = []
    at = 0
    for word, label in rows:
        if label != OTHER:
            spans.append((at, at + len(word), label))
        at += len(word) + 1
    return Sample(" ".join(word for word, _ in rows), tuple(spans))


def paragraphs(path: Path, *, odd: bool) -> Iterator[tuple[str, str]]:
    """Paragraphs of one half of the files: training sees the even half, `measure_plain.py` reads the odd one."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if crc32(row["path"].encode()) % 2 == odd:
            for text in PARAGRAPH.split(row["text"]):
                if text.strip():
                    yield f"{row['repo']}/{row['path']}", text


def skills(path: Path, known: Gazetteer) -> Iterator[Sample]:
    """Paragraphs of the even half in which no two neighbours look like a first name with a surname."""
    for _, text in paragraphs(path, odd=False):
        if len(text) <= PARAGRAPH_MAX and not _maybe_person(text, known):
            yield Sample(text, ())


def _maybe_person(text: str, known: Gazetteer) -> bool:
    words = words_of(text, known)
    for place in range(len(words)):
        entry = words.entries[place]
        if words.shapes[place] == "Xx" and entry.first >= 4 and entry.word < 2 and not words.marks[place]:
            return True
    return False
