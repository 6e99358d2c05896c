"""Everything that is time, in one run: figures side by side, a table, and JSON with the machine named."""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from benchmarks import (
    footprint,
    graph,
    graph_search,
    ingest,
    inside,
    machine,
    noisy,
    page,
    pii_cost,
    reads,
    report,
    single,
    skills_disk,
    skills_format,
    skills_index,
    verify,
)
from benchmarks.load import generator, median
from benchmarks.processes import rss_mib
from benchmarks.reads import Effort
from benchmarks.seed import Seeded, fill
from benchmarks.targets import verdicts
from tarimba.app import open_kernel
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tests.fixtures.cluster import PostgresServer, throwaway_postgres
from tests.fixtures.server import RunningServer, running_server

_STARTS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run measures and how long."""

    sizes: tuple[int, ...]
    effort: Effort
    repeats: int


FULL = Plan((100, 10_000, 200_000), Effort(5, 3), 200)
QUICK = Plan((100, 10_000), Effort(3, 1), 50)


@dataclass(frozen=True, slots=True)
class Site:
    """A database that one measurement fills and leaves: its folder, its URL and the master key."""

    data: Path
    url: str | None
    master: str

    @contextmanager
    def kernel(self) -> Iterator[Kernel]:
        settings = Settings(data=self.data, db=self.url, master_key=SecretStr(self.master))
        with open_kernel(settings) as opened:
            yield opened

    @contextmanager
    def server(self) -> Iterator[RunningServer]:
        # One key asks as fast as the server answers.
        environment = {"TARIMBA_MASTER_KEY": self.master, "TARIMBA_READS_PER_SECOND": "0"}
        with running_server(self.data, self.url, env=environment) as server:
            yield server


def main() -> None:
    options = _options()
    plan = QUICK if options.quick else FULL
    results: dict[str, Any] = {
        "machine": machine.describe(),
        "generator": generator(),
        "disk": footprint.disk(),
        "help_s": footprint.help_seconds(plan.effort.rounds),
        "import_ms": footprint.import_ms(2 * plan.effort.rounds + 1),
        "detectors": pii_cost.measure(),
        "skills_disk": skills_disk.measure(),
        "skills_format": skills_format.measure(),
        "skills_index": skills_index.measure(),
    }
    with throwaway_postgres() as postgres:
        results["postgresql"] = postgres.binaries.parent.name
        results["graph"] = graph.run(postgres)
        size = graph_search.ENTITIES // (10 if options.quick else 1)
        results["graph_search"] = graph_search.run(postgres, size)
        results["verify"] = verify.run(postgres, verify.RECEIPTS // (10 if options.quick else 1))
        results["noisy"] = {name: _noisy(name, postgres, plan) for name in ("sqlite", "postgresql")}
        results["ingest"] = {name: _ingest(name, postgres) for name in ("sqlite", "postgresql")}
        results["databases"] = {name: _database(name, postgres, plan) for name in ("sqlite", "postgresql")}
    results["load_average_after"] = machine.load_average()
    held = verdicts(results)
    results["targets"] = [verdict.as_json() for verdict in held]
    print("\n".join(report.lines(results, held)))
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if options.page is not None:
        options.page.write_text(page.text(results, held), encoding="utf-8")


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few minutes, without the 200,000 notes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything as JSON")
    parser.add_argument("--page", type=Path, metavar="FILE", help="also write the page docs/benchmarks.md")
    return parser.parse_args()


def _database(name: str, postgres: PostgresServer, plan: Plan) -> Mapping[str, Any]:
    found = {}
    for size in plan.sizes:
        print(f"{name}, {size} notes ...", file=sys.stderr, flush=True)
        url = postgres.create_database() if name == "postgresql" else None
        with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
            site = Site(Path(folder), url, base64.b64encode(os.urandom(32)).decode())
            found[str(size)] = _measure(site, size, plan)
        if url is not None:
            postgres.drop_database(url)
    return found


def _noisy(name: str, postgres: PostgresServer, plan: Plan) -> Mapping[str, Any]:
    print(f"{name}, a noisy neighbour ...", file=sys.stderr, flush=True)
    url = postgres.create_database() if name == "postgresql" else None
    with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
        master = base64.b64encode(os.urandom(32)).decode()
        rounds, seconds = plan.effort.rounds, 5 * plan.effort.seconds
        found = noisy.measure(Path(folder), url, master, rounds=rounds, seconds=seconds)
    if url is not None:
        postgres.drop_database(url)
    return found


def _ingest(name: str, postgres: PostgresServer) -> Mapping[str, Any]:
    print(f"{name}, turns ...", file=sys.stderr, flush=True)
    url = postgres.create_database() if name == "postgresql" else None
    with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
        found = ingest.measure(Path(folder), url, base64.b64encode(os.urandom(32)).decode())
    if url is not None:
        postgres.drop_database(url)
    return found


def _measure(site: Site, size: int, plan: Plan) -> dict[str, Any]:
    start = time.perf_counter()
    with site.kernel() as kernel:
        seeded = fill(kernel, size)
    figures: dict[str, Any] = {"seed_s": round(time.perf_counter() - start, 1), "agents": seeded.agents}
    figures["disk_mib"] = footprint.size_mib(site.data)
    with site.server() as server:
        figures["start_s"] = _start_seconds(server)
        figures |= _over_http(server, seeded, plan)
        figures["rss_mib"] = round(rss_mib(server.process.pid), 1)
    with site.kernel() as kernel:
        figures["inside"] = inside.measure(kernel, seeded, plan.repeats)
    return figures


def _start_seconds(server: RunningServer) -> float:
    taken = []
    for _ in range(_STARTS):
        server.stop()
        start = time.perf_counter()
        server.start()
        taken.append(time.perf_counter() - start)
    return round(median(taken), 3)


def _over_http(server: RunningServer, seeded: Seeded, plan: Plan) -> dict[str, Any]:
    with reads.arms(server.port, server.process.pid, seeded) as targets:
        found = reads.throughput(targets, plan.effort)
        rate = found["arms"]["block"]["per_second"] / 2
        half = reads.half_load(targets, rate, plan.effort)
    return {"reads": found, "half_load": half, "single": single.measure(server.port, seeded, plan.repeats)}


if __name__ == "__main__":
    main()
