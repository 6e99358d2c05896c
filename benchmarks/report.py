"""The figures as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.targets import Verdict


def lines(results: Mapping[str, Any], held: list[Verdict]) -> Iterator[str]:
    """The whole report, line by line."""
    machine = results["machine"]
    yield f"{machine['cpu']}, {machine['cores']} cores, {machine['memory']}, {machine['system']}"
    yield f"{machine['python']}, SQLite {machine['sqlite']}, PostgreSQL {results['postgresql']}"
    yield f"revision {machine['revision'][:12]}{' with changes' if machine['is_changed'] else ''}"
    yield f"load average {machine['load_average']} before, {results['load_average_after']} after"
    yield f"fdatasync {results['disk']['fdatasync_p50_ms']} ms; closed loop by {results['generator']}"
    found = results["detectors"]
    yield (
        f"detectors: CPU {found['median_ms']} ms a note, p95 {found['p95_ms']}, worst {found['worst_ms']}"
        f" ({found['notes']} notes)"
    )
    found = results["skills_format"]
    yield (
        f"SKILL.md: CPU {found['public_ms']['median']} ms to read a public one, worst {found['public_ms']['worst']};"
        f" {found['write_ms']['median']} ms to write it; {found['broken_ms']:.3f} ms to read a broken one"
    )
    disk = results["skills_disk"]
    yield (
        f"{disk['skills']} skills on disk: {disk['first_s']} s at first, {disk['changed_ms']} ms after one change"
    )
    found = results["skills_index"]
    yield (
        f"{found['skills']} own skills indexed: {found['cold_ms']} ms cold, {found['warm_ms']} ms when nothing changed,"
        f" {found['one_ms']} ms when one did"
    )
    yield from (_of_neighbour(database, figures) for database, figures in results["noisy"].items())
    for database, figures in results["graph"].items():
        one = figures["one"]
        yield (
            f"{database}: an entity into a graph of 10: {one['small_ms']} ms, of 10,000: {one['large_ms']} ms;"
            f" 100 at once {figures['batch_ms']} ms, a page read {figures['page_ms']} ms"
        )
    for database, figures in results["graph_search"].items():
        yield (
            f"{database}: searching {figures['entities']} entities: {figures['p50_ms']} ms,"
            f" by meaning {figures['semantic_ms']} ms"
        )
    for database, figures in results["verify"].items():
        yield (
            f"{database}: {figures['receipts']} receipts verified in {figures['wall_s']} s"
            f" ({figures['cpu_s']} s of CPU), {figures['per_second']} a second"
        )
    for database, figures in results["ingest"].items():
        yield (
            f"{database}: {figures['turns']} turns by 500, {figures['per_second']} a second"
            f" ({figures['per_cpu_second']} a CPU second), {figures['rss_after_mib']} MiB resident"
        )
    for database, sizes in results["databases"].items():
        for size, figures in sizes.items():
            yield ""
            yield f"== {database}, {size} notes"
            yield from _of_size(figures)
    yield ""
    yield "== targets"
    for verdict in held:
        yield verdict.line()


def _of_size(figures: Mapping[str, Any]) -> Iterator[str]:
    yield f"  start {figures['start_s']} s, {figures['rss_mib']} MiB resident, {figures['disk_mib']} MiB on disk"
    yield "  32 connections, closed loop          reads/s     CPU us"
    for name, arm in figures["reads"]["arms"].items():
        yield f"    {name:<34}{arm['per_second']:>8}{arm['cpu_us']:>11}"
    half = figures["half_load"]
    yield f"  open loop at {half['rate']:>6}/s                 p50 ms     p99 ms   worst ms"
    for name, arm in half["arms"].items():
        yield f"    {name:<34}{arm['p50_ms']:>8}{arm['p99_ms']:>11}{arm['worst_ms']:>11}"
    yield "  one request at a time                p50 ms     p99 ms   bare p50"
    for name, step in figures["single"].items():
        yield f"    {name:<34}{step['p50_ms']:>8}{step['p99_ms']:>11}{step['bare_p50_ms']:>11}"
    yield "  in process                           p50 ms     p99 ms     CPU us"
    for name, case in figures["inside"].items():
        if "p50_ms" in case:
            yield f"    {name:<34}{case['p50_ms']:>8}{case['p99_ms']:>11}{case['cpu_us']:>11}"
        else:
            yield f"    {name} ({case['threads']} threads): {case['per_second']} a second"


def _of_neighbour(database: str, figures: Mapping[str, Any]) -> str:
    return (
        f"{database}, a quiet space's reads: p99 {figures['alone_p99_ms']} ms alone, {figures['beside_p99_ms']} ms"
        f" beside one that asks {figures['times']} times as much"
    )
