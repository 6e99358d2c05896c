"""Milliseconds for one entity per call beside the reference memory server, both over the protocol, in one run.

Each server has a process of its own. What ours acknowledges is on the disk, so each of its calls waits for a sync that
the other never makes: in a small graph it is the slower one. In a large one the other writes its whole file for each.

Run alone: python -m tests.recipes.graph_reference.speed
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.graph import side_by_side
from tarimba.mcp.graph_server import PATH
from tests.contract.graph.seat import seat_of, token_of
from tests.contract.graph_mcp.team import SECRET
from tests.e2e.company import Place, found_in
from tests.fixtures.server import RunningServer
from tests.recipes.graph_reference.sides import Side, ours, reference

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
        url, tokens = enter(_served(Place(folder / "data", None)))
        few, many = (Kept(enter(ours(url, token))) for token in tokens)
        small, large = (Kept(enter(reference(folder / f"{name}.jsonl"))) for name in ("small", "large"))
        found: dict[str, Any] = {"ours": side_by_side(few, many), "reference": side_by_side(small, large)}
    found["faster"] = round(found["reference"]["large_ms"] / found["ours"]["large_ms"], 1)
    return found


@contextmanager
def _served(place: Place) -> Iterator[tuple[str, list[str]]]:
    """Our server in a process of its own, as the other one has one: its address, and the tokens of two graphs."""
    place.data.mkdir()
    with place.kernel() as kernel:
        company = found_in(kernel)
        tokens = [token_of(seat_of(kernel, company), SECRET) for _ in range(2)]
    environment = {**place.environment, "TARIMBA_MCP_TOKEN_SECRET": SECRET}
    server = RunningServer(place.data, None, environment, place.data.parent / "server.log")
    server.start()
    try:
        yield f"{server.base_url}{PATH}", tokens
    finally:
        server.stop()


def _entity(number: int) -> dict[str, Any]:
    text = f"Step {number} closes the ledger of month {number % 12 + 1} before the period ends."
    return {"name": f"Step {number}", "entityType": "procedure", "observations": [text]}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tarimba-reference-") as at:
        sys.stdout.write(json.dumps(measure(Path(at)), indent=1) + "\n")
