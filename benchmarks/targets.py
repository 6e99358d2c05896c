"""What the figures are held against, and by how much they miss it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

MIDDLE = "10000"
LARGE = "200000"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target. `value` must be at most (or at least) `limit`."""

    name: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def shortfall(self) -> str:
        """How far it is from the limit, in percent of it; empty when met."""
        return "" if self.is_met else f"{abs(self.value / self.limit - 1):.0%}"

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "is_met": self.is_met}

    def line(self) -> str:
        sign = ">=" if self.at_least else "<="
        short = "" if self.is_met else f"  MISSED BY {self.shortfall}"
        return f"  {self.name:<66} {self.value:>9.3f}  {sign} {self.limit:g}{short}"


def verdicts(results: Mapping[str, Any]) -> list[Verdict]:
    """Every target that the run has figures for."""
    found = [
        Verdict("tarimba --help, s", results["help_s"], 0.4),
        Verdict("import tarimba.client, ms", results["import_ms"], 150),
    ]
    found += _of_detectors(results["detectors"])
    found += _of_skills_on_disk(results["skills_disk"])
    found += _of_skills_format(results["skills_format"])
    found += _of_skills_index(results["skills_index"])
    for database, figures in results["graph"].items():
        found += _of_graph(database, figures)
    for database, figures in results["graph_search"].items():
        found.append(_of_graph_search(database, figures))
    for database, figures in results["verify"].items():
        found.append(_of_verify(database, figures))
    for database, figures in results["noisy"].items():
        found.append(
            Verdict(f"{database}: a quiet space's p99 beside a noisy one", figures["p99_ratio"], 2.0)
        )
    for database, figures in results["ingest"].items():
        found += _of_ingest(database, figures)
    for database, sizes in results["databases"].items():
        for size, figures in sizes.items():
            found += _of_size(f"{database}, {size} notes", figures)
        found += _of_middle(database, sizes)
    return found


def _of_detectors(figures: Mapping[str, Any]) -> Iterator[Verdict]:
    for size, limit in (("2000", 20), ("20000", 200)):
        yield Verdict(
            f"detectors: CPU of the worst {size} characters, ms",
            max(figures["hostile_ms"][size].values()),
            limit,
        )
        known = max(figures["known_ms"][size].values())
        yield Verdict(f"known customers: CPU of the worst {size} characters, ms", known, limit)
    yield Verdict("detectors: worst 20000 characters over 2000", figures["growth"], 12)


def _of_skills_format(figures: Mapping[str, Any]) -> Iterator[Verdict]:
    yield Verdict("SKILL.md: CPU of the worst public file, ms", figures["public_ms"]["worst"], 5)
    worst = max(figures["hostile_ms"]["64000"].values())
    yield Verdict("SKILL.md: CPU of the worst 64000 bytes, ms", worst, 100)
    yield Verdict("SKILL.md: worst 1 MiB over 64000 bytes", figures["growth"], 2 * figures["sizes_ratio"])


def _of_skills_on_disk(figures: Mapping[str, Any]) -> Iterator[Verdict]:
    where = f"{figures['skills']} skills on disk"
    yield Verdict(f"{where}: first writing, s", figures["first_s"], 20)
    yield Verdict(f"{where}: after one change, ms", figures["changed_ms"], 200)
    yield Verdict(f"{where}: the same on two hosts", float(figures["same_on_two_hosts"]), 1, True)


def _of_skills_index(figures: Mapping[str, Any]) -> Iterator[Verdict]:
    yield Verdict("index of 1000 skills, nothing known, ms", figures["cold_ms"], 150)
    yield Verdict("index of 1000 skills, nothing changed, ms", figures["warm_ms"], 5)


def _of_graph(database: str, figures: Mapping[str, Any]) -> Iterator[Verdict]:
    where = f"{database}, memory graph"
    yield Verdict(f"{where}: an entity at 10,000 over one at 10", figures["one"]["growth"], 1.5)
    yield Verdict(f"{where}: 100 entities at once at 10,000, ms", figures["batch_ms"], 30)


def _of_graph_search(database: str, figures: Mapping[str, Any]) -> Verdict:
    return Verdict(f"{database}, {figures['entities']} entities: search_nodes p50, ms", figures["p50_ms"], 15)


def _of_verify(database: str, figures: Mapping[str, Any]) -> Verdict:
    a_million = figures["wall_s"] * 1_000_000 / figures["receipts"]
    return Verdict(f"{database}: 1,000,000 receipts verified, s", round(a_million, 1), 60)


def _of_size(where: str, figures: Mapping[str, Any]) -> Iterator[Verdict]:
    reads = figures["reads"]
    yield Verdict(f"{where}: block reads a second, of the bare route's", reads["ratio_to_bare"], 0.3, True)
    yield Verdict(f"{where}: p99 at half load, times the bare route's", figures["half_load"]["p99_ratio"], 5)
    yield Verdict(f"{where}: start to healthy, s", figures["start_s"], 2)


def _of_ingest(database: str, figures: Mapping[str, Any]) -> Iterator[Verdict]:
    yield Verdict(f"{database}: turns masked and stored a second", figures["per_second"], 800, True)
    growth = round(figures["rss_after_mib"] / figures["rss_before_mib"], 3)
    yield Verdict(f"{database}: memory after {figures['turns']} turns over before", growth, 1.1)


def _of_middle(database: str, sizes: Mapping[str, Any]) -> Iterator[Verdict]:
    middle = sizes[MIDDLE]
    where = f"{database}, {MIDDLE} notes"
    yield Verdict(f"{where}: 500 active notes cost, times 10", middle["reads"]["many_notes_cost"], 1.1)
    yield Verdict(f"{where}: resident memory of the server, MiB", middle["rss_mib"], 250 * 1e6 / 2**20)
    for name in ("search by an agent", "search of the whole space"):
        p50 = middle["inside"][name]["p50_ms"]
        yield Verdict(f"{where}: {name}, p50 ms in process", p50, 5)
        if LARGE in sizes:
            times = sizes[LARGE]["inside"][name]["p50_ms"] / p50
            yield Verdict(f"{database}: {name}, {LARGE} notes over {MIDDLE}", round(times, 3), 3)
    if LARGE in sizes:
        few, many = (figures["reads"]["arms"]["block"]["per_second"] for figures in (middle, sizes[LARGE]))
        yield Verdict(f"{database}: block read, {LARGE} notes over {MIDDLE}", round(few / many, 3), 3)
        few, many = (figures["inside"]["note write"]["p50_ms"] for figures in (middle, sizes[LARGE]))
        yield Verdict(f"{database}: note write, {LARGE} notes over {MIDDLE}", round(many / few, 3), 3)
