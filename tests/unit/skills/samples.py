"""The files that the tests of the format read."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

DATA = Path(__file__).parents[2] / "data" / "skills"


@dataclass(frozen=True, slots=True)
class Case:
    """A file, the verdicts that are right, and what a reader must get where one is loaded (None: not asked)."""

    directory: str
    file: str
    data: bytes
    verdicts: frozenset[str]
    name: str | None
    description: str | None
    symlink: str | None


@dataclass(frozen=True, slots=True)
class Public:
    """A public file with its directory's name; `path` says where it comes from."""

    path: str
    directory: str
    data: bytes


def cases() -> list[Case]:
    rows = json.loads((DATA / "edge-cases.json").read_text(encoding="utf-8"))
    return [
        Case(
            row["dir"],
            row["file"],
            base64.b64decode(row["bytes"]),
            frozenset(row["verdicts"]),
            row.get("name"),
            row.get("description"),
            row.get("symlink"),
        )
        for row in rows
    ]


@lru_cache(maxsize=1)
def corpus() -> tuple[Public, ...]:
    with gzip.open(DATA / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return tuple(Public(f"{row['repo']}/{row['path']}", row["dir"], row["text"].encode()) for row in rows)
