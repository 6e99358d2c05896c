"""Milliseconds for one entity per call beside the reference memory server, both over the protocol, in one run.

Run alone: python -m tests.recipes.graph_reference.speed
"""

from __future__ import annotations

import json
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.graph import side_by_side
from tests.recipes.graph_reference.sides import Side, ours, reference
from tests.recipes.mcp_conformance.served import serving_graph

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Kept:
    """The graph of a side, for the benchmark."""

    side: Side

    def create(self, number: int) -> None:
        made = self.side.ask("create_entities", {"entities": [_entity(number)]})
        assert made is not None
        assert len(made["entities"]) == 1

    def fill(self, first: int, count: int) -> None:
        for start in range(first, first + count, _BATCH):
            numbers = range(start, min(start + _BATCH, first + count))
            assert self.side.ask("create_entities", {"entities": [_entity(one) for one in numbers]})


def measure(folder: Path) -> dict[str, Any]:
    """`small_ms`, `large_ms` and `growth` of both, and how many times faster ours is in the large graph."""
    with ExitStack() as open_sides:
        enter = open_sides.enter_context
        url, team = enter(serving_graph(folder / "data"))
        few, many = (Kept(enter(ours(url, team.token(member)))) for member in ("member", "auditor"))
        small, large = (Kept(enter(reference(folder / f"{name}.jsonl"))) for name in ("small", "large"))
        found: dict[str, Any] = {"ours": side_by_side(few, many), "reference": side_by_side(small, large)}
    found["faster"] = round(found["reference"]["large_ms"] / found["ours"]["large_ms"], 1)
    return found


def _entity(number: int) -> dict[str, Any]:
    text = f"Step {number} closes the ledger of month {number % 12 + 1} before the period ends."
    return {"name": f"Step {number}", "entityType": "procedure", "observations": [text]}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tarimba-reference-") as at:
        sys.stdout.write(json.dumps(measure(Path(at)), indent=1) + "\n")
