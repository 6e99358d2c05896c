"""Block reads over HTTP beside the bare route: throughput, CPU, and latency under half of the load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.load import Delay, Pace, Target, closed_loop, median, open_loop
from benchmarks.processes import bare_server
from benchmarks.seed import Seeded
from benchmarks.wire import Wire, request
from tarimba.blocks.endpoint import PATH

CONNECTIONS = 32


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: rounds of all arms, and seconds of each arm in a round."""

    rounds: int
    seconds: float


@contextmanager
def arms(port: int, pid: int, seeded: Seeded) -> Iterator[tuple[Target, ...]]:
    """The receipted block, the bare route with its bytes as `Response` and as dict, the block of few notes."""
    block = Target("block", port, pid, PATH, seeded.large_key)
    small = Target("block of few notes", port, pid, PATH, seeded.small_key)
    with Wire(port) as wire:
        content = wire.ask_ok(request("GET", PATH, bearer=block.bearer))
    with bare_server(content) as (bare_port, bare_pid):
        plain = Target("bare", bare_port, bare_pid, "/plain", block.bearer)
        yield block, plain, Target("bare dict", bare_port, bare_pid, "/dict", block.bearer), small


def throughput(targets: Sequence[Target], effort: Effort) -> dict[str, Any]:
    """Requests a second and CPU of each target, in alternating rounds."""
    paces: dict[str, list[Pace]] = {target.name: [] for target in targets}
    for target in _alternating(targets, effort):
        paces[target.name].append(closed_loop(target, CONNECTIONS, effort.seconds))
    rates = {name: [pace.per_second for pace in mine] for name, mine in paces.items()}
    block, bare = targets[0].name, targets[1].name
    cpu = {name: median([pace.cpu_us for pace in mine]) for name, mine in paces.items()}
    found: dict[str, Any] = {
        "ratio_to_bare": _ratio(rates[block], rates[bare]),
        "cpu_ratio_to_bare": round(cpu[block] / cpu[bare], 3),
        "arms": {
            name: {
                "per_second": round(median(mine)),
                "runs": [round(rate) for rate in mine],
                "cpu_us": round(cpu[name], 1),
            }
            for name, mine in rates.items()
        },
    }
    small = targets[-1].name
    return {**found, "many_notes_cost": _ratio(rates[small], rates[block])}


def half_load(targets: Sequence[Target], rate: float, effort: Effort) -> dict[str, Any]:
    """Latency of the block and of the bare route at `rate` requests a second, due at the same moments."""
    delays: dict[str, list[Delay]] = {target.name: [] for target in targets[:2]}
    for target in _alternating(targets[:2], effort):
        delays[target.name].append(open_loop(target, rate, CONNECTIONS, effort.seconds))
    block, bare = targets[0].name, targets[1].name
    return {
        "rate": round(rate),
        "p99_ratio": _ratio([one.p99 for one in delays[block]], [one.p99 for one in delays[bare]]),
        "arms": {
            name: {
                "p50_ms": round(median([one.p50 for one in mine]), 3),
                "p99_ms": round(median([one.p99 for one in mine]), 3),
                "p99_runs_ms": [round(one.p99, 2) for one in mine],
                "worst_ms": round(max(one.worst for one in mine), 1),
            }
            for name, mine in delays.items()
        },
    }


def _ratio(mine: Sequence[float], its: Sequence[float]) -> float:
    """The median of the ratios of one round each: what slows a round down slows both."""
    return round(median([one / other for one, other in zip(mine, its, strict=True)]), 3)


def _alternating(targets: Sequence[Target], effort: Effort) -> Iterator[Target]:
    """A B A B: what else the machine does falls on all alike. A first second of each is not counted."""
    for target in targets:
        closed_loop(target, CONNECTIONS, 1)
    for _ in range(effort.rounds):
        yield from targets
