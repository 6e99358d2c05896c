"""The page docs/benchmarks.md, made from the figures of one run: `--page docs/benchmarks.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.targets import Verdict

_HEAD = """\
# Benchmarks

The figures of one run of `python -m benchmarks --page docs/benchmarks.md` (`make bench` prints them), written by the
run itself. It fills spaces of several sizes with notes, on SQLite and on PostgreSQL, starts the real server on each,
and puts load on it from another process. `--quick` takes a few minutes and leaves the 200,000 notes out; `--json
FILE` keeps every figure.

How to read them:

- **Ratios, not absolute figures.** Beside every block read stands a bare FastAPI route under the same uvicorn with
  the same settings, in the same run, that returns the same bytes and does nothing else: no key, no receipt, no
  database. Both are measured in turn, and a ratio is the median of the ratios of single rounds. What else the
  machine does slows both, and ours more, which also waits for the disk and has its writer on the second core.
- **Every read of ours is durable.** Its receipt is on the disk before the answer leaves. `fdatasync` below is what
  the disk takes for that alone; 32 readers share one.
- **Closed loop**: 32 connections, each asks again when it is answered. **Open loop**: half as many requests a second
  as the block answered in the closed loop, due at random moments that were drawn beforehand, the same for both
  sides; a latency counts from the moment that the request was due, so waiting is never left out.
- **CPU** is that of the server's process for each request, upkeep of the log's index included. PostgreSQL's own
  processes are not in it.
- "The whole space" is a search by an admin key or a person, over the notes of all agents. An agent searches what it
  may read: its own notes, and those opened to it.
- Notes are made from templates in Portuguese and English with names that are rare in most notes and frequent in some;
  up to 20,000 are distinct, and the largest space repeats them among different agents. Each agent has at most 500.
"""


def text(results: Mapping[str, Any], held: Sequence[Verdict]) -> str:
    """The page in Markdown."""
    parts = [_HEAD, *_machine(results), *_caution(results), "## Targets\n", _targets(held)]
    parts += ["## Turns of conversations\n", _turns(results["ingest"])]
    for database, sizes in results["databases"].items():
        title = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[database]
        parts += [f"## {title}\n", _reads(sizes), _delays(sizes), _singles(sizes), _inside(sizes)]
        parts.append(_server(sizes))
    return "\n".join(parts)


def _turns(found: Mapping[str, Any]) -> str:
    lines = [
        "Batches of 500 turns over one connection, half of them with personal data: masked, then stored.\n",
        "| database | turns a second | of a CPU second | resident before, MiB | after |",
        "| --- | --- | --- | --- | --- |",
    ]
    for database, figures in found.items():
        names = ("per_second", "per_cpu_second", "rss_before_mib", "rss_after_mib")
        lines.append(f"| {database} | {' | '.join(str(figures[name]) for name in names)} |")
    return "\n".join(lines) + "\n"


def _machine(results: Mapping[str, Any]) -> Iterator[str]:
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    yield "## Machine\n"
    yield (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory']} of memory, {machine['system']}. "
        f"{machine['python']}, SQLite {machine['sqlite']}, PostgreSQL {results['postgresql']}, {versions}. "
        f"Taken {machine['at']} at revision {machine['revision'][:12]}"
        f"{' with changes' if machine['is_changed'] else ''}. "
        f"Load average {machine['load_average']} before and {results['load_average_after']} after the run. "
        f"`fdatasync` of 4 KiB: {results['disk']['fdatasync_p50_ms']} ms (p99 {results['disk']['fdatasync_p99_ms']})."
        f" Closed loop driven by {results['generator']}.\n"
    )


def _caution(results: Mapping[str, Any]) -> Iterator[str]:
    machine = results["machine"]
    # What this run itself leaves of the minute before it is less than one core.
    if machine["load_average"] > machine["cores"] / 2:
        yield "**Other work ran on the machine during this run: these figures are worse than those of a quiet one.**\n"


def _targets(held: Sequence[Verdict]) -> str:
    rows = [
        (
            one.name,
            _number(one.value),
            f"{'≥' if one.at_least else '≤'} {one.limit:.4g}",
            one.shortfall or "met",
        )
        for one in held
    ]
    return _table(("What", "Figure", "Target", "Missed by"), rows)


def _reads(sizes: Mapping[str, Any]) -> str:
    rows = [
        (size, name, arm["per_second"], arm["cpu_us"])
        for size, figures in sizes.items()
        for name, arm in figures["reads"]["arms"].items()
    ]
    return "32 connections, closed loop.\n\n" + _table(("Notes", "Route", "Reads/s", "CPU µs"), rows)


def _delays(sizes: Mapping[str, Any]) -> str:
    rows = [
        (size, name, figures["half_load"]["rate"], arm["p50_ms"], arm["p99_ms"], arm["worst_ms"])
        for size, figures in sizes.items()
        for name, arm in figures["half_load"]["arms"].items()
    ]
    return "Open loop at half of that load, milliseconds.\n\n" + _table(
        ("Notes", "Route", "Requests/s", "p50", "p99", "Worst"), rows
    )


def _singles(sizes: Mapping[str, Any]) -> str:
    rows = [
        (size, name, step["p50_ms"], step["p99_ms"], step["bare_p50_ms"])
        for size, figures in sizes.items()
        for name, step in figures["single"].items()
    ]
    return "One request at a time over HTTP, milliseconds.\n\n" + _table(
        ("Notes", "Request", "p50", "p99", "Bare route's p50"), rows
    )


def _inside(sizes: Mapping[str, Any]) -> str:
    rows = [
        (size, name, case["p50_ms"], case["p99_ms"], case["cpu_us"])
        for size, figures in sizes.items()
        for name, case in figures["inside"].items()
        if "p50_ms" in case
    ]
    return "In process, without HTTP, milliseconds.\n\n" + _table(
        ("Notes", "Use case", "p50", "p99", "CPU µs"), rows
    )


def _server(sizes: Mapping[str, Any]) -> str:
    rows = []
    for size, figures in sizes.items():
        many = figures["inside"]["note writes at once"]
        rows.append((size, figures["start_s"], figures["rss_mib"], many["per_second"]))
    return "The server.\n\n" + _table(("Notes", "Start, s", "Resident MiB", "Writes/s, 16 threads"), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
