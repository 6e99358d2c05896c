"""Milliseconds for a memory graph, acknowledged and durable: one entity per call, 100 in one, a page of reading.

A small graph and a large one are measured in turn, so that whatever slows the machine slows both. `side_by_side` takes
any keeper of graphs: another server is measured by the same calls.

Run alone: python -m benchmarks.graph
"""

from __future__ import annotations

import base64
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.graph import service
from tarimba.graph.model import By, NewEntity, NewObservation, Reading, Scope
from tarimba.identity import hosting
from tarimba.identity.seats import Called, seat_named
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor
from tarimba.settings import Settings
from tests.fixtures.cluster import PostgresServer, throwaway_postgres

SMALL = 10
LARGE = 10_000
REPEATS = 100
_BATCH = 100
SPACE = """
[space]
slug = "graph"
name = "Graph"
language = "en"
[[vendor]]
slug = "north"
[[agent]]
slug = "billing"
vendor = "north"
harness = "generic"
[[person]]
slug = "small"
email = "small@acme.example"
roles = ["member"]
[[person]]
slug = "large"
email = "large@acme.example"
roles = ["member"]
[[subscription]]
slug = "team"
members = ["small", "large"]
"""


class Keeper(Protocol):
    """One graph of some server."""

    def create(self, number: int) -> None:
        """One entity with one observation, acknowledged."""
        ...

    def fill(self, first: int, count: int) -> None:
        """As many entities, however the server takes them fastest."""
        ...


@dataclass(frozen=True, slots=True)
class Own:
    """A graph of ours."""

    kernel: Kernel
    scope: Scope

    @property
    def by(self) -> By:
        return By(Actor("agent", self.scope.source_id), "mcp")

    def create(self, number: int) -> None:
        service.create_entities(self.kernel, self.scope, self.by, [_entity(number)])

    def fill(self, first: int, count: int) -> None:
        for start in range(first, first + count, _BATCH):
            numbers = range(start, min(start + _BATCH, first + count))
            service.create_entities(self.kernel, self.scope, self.by, [_entity(one) for one in numbers])
        if count == LARGE and not self.kernel.database.is_sqlite:
            # Within a minute PostgreSQL looks at a table by itself; until then it keeps the plans of an empty one.
            with self.kernel.database.maintenance() as connection:
                connection.exec_driver_sql("ANALYZE")

    def read(self) -> None:
        service.read_graph(self.kernel, self.scope, self.by, Reading())


def side_by_side(small: Keeper, large: Keeper, repeats: int = REPEATS) -> dict[str, float]:
    """p50 of one entity per call in a graph of ten and in one of `LARGE`, in milliseconds, and their ratio."""
    small.fill(0, SMALL)
    large.fill(0, LARGE)
    times: dict[str, list[float]] = {"small": [], "large": []}
    for number in range(repeats):
        times["small"].append(taken(lambda: small.create(SMALL + number)))  # noqa: B023 - run at once
        times["large"].append(taken(lambda: large.create(LARGE + number)))  # noqa: B023 - run at once
    few, many = (statistics.median(times[name]) for name in ("small", "large"))
    return {"small_ms": round(few, 3), "large_ms": round(many, 3), "growth": round(many / few, 3)}


def measure(data: Path, url: str | None, master: str) -> dict[str, Any]:
    """`one` as of `side_by_side`; `batch_ms` for 100 entities at once and `page_ms` for a page, in the large graph."""
    settings = Settings(data=data, db=url, master_key=SecretStr(master))
    with open_kernel(settings) as kernel:
        applied = hosting.apply_text(kernel, SPACE)
        small, large = (own(kernel, applied.space_id, name) for name in ("small", "large"))
        small.fill(LARGE * 2, 1)
        if url is not None:
            # A table's first minute is over: PostgreSQL has looked at it by itself.
            with kernel.database.maintenance() as connection:
                connection.exec_driver_sql("ANALYZE")
        found: dict[str, Any] = {"one": side_by_side(small, large)}
        firsts = iter(range(LARGE * 3, LARGE * 4, _BATCH))
        found["batch_ms"] = _median(lambda: large.fill(next(firsts), _BATCH), 21)
        found["page_ms"] = _median(large.read, 21)
        return found


def run(postgres: PostgresServer) -> dict[str, Any]:
    """The figures of both databases."""
    found: dict[str, Any] = {}
    for name in ("sqlite", "postgresql"):
        url = postgres.create_database() if name == "postgresql" else None
        with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
            found[name] = measure(Path(folder), url, base64.b64encode(os.urandom(32)).decode())
        if url is not None:
            postgres.drop_database(url)
    return found


def taken(work: Callable[[], None]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def _entity(number: int) -> NewEntity:
    text = f"Step {number} closes the ledger of month {number % 12 + 1} before the period ends."
    return NewEntity(f"Step {number}", "procedure", (NewObservation(text),))


def own(kernel: Kernel, space_id: str, member: str) -> Own:
    called = Called(subscription="team", agent="billing", member=member)
    with kernel.database.read() as connection:
        seat = seat_named(connection, space_id, called)
    return Own(kernel, Scope(space_id, seat.subscription_id, seat.source_id, seat.person_id))


def _median(work: Callable[[], None], repeats: int) -> float:
    return round(statistics.median(taken(work) for _ in range(repeats)), 2)


if __name__ == "__main__":
    with throwaway_postgres() as cluster:
        print(json.dumps(run(cluster), indent=1))
