"""Sixty facts of a company's work and a question in Portuguese about each, never a copy of the fact.

Hand-written, in `samples/graph_facts.jsonl`: synonyms, inflections, colloquial turns, accents left out. No people, no
real companies.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, Literal, NamedTuple

_FILE: Final = Path(__file__).parent / "samples" / "graph_facts.jsonl"


class Fact(NamedTuple):
    """An entity, and the question whose answer it is.

    `inflected`: the question has words of the fact, in other forms and without accents; `reworded`: others instead.
    """

    name: str
    kind: str
    observations: tuple[str, ...]
    question: str = ""
    way: Literal["inflected", "reworded", ""] = ""


def _facts() -> tuple[Fact, ...]:
    rows = map(json.loads, _FILE.read_text(encoding="utf-8").splitlines())
    return tuple(Fact(**{**row, "observations": tuple(row["observations"])}) for row in rows)


FACTS: Final = _facts()
