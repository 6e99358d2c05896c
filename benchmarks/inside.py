"""Use cases in this process, without HTTP: what the code and its database cost alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from typing import Any

from benchmarks.load import delay
from benchmarks.seed import Seeded
from benchmarks.texts import Text, Writer
from tarimba.blocks import service as blocks
from tarimba.blocks.cache import BlockQuery
from tarimba.identity.service import authenticate
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Draft, Question

WRITERS = 16
_SEED = 9
_WARM = 20


def measure(kernel: Kernel, seeded: Seeded, repeats: int) -> dict[str, Any]:
    """Milliseconds and CPU of each use case; searches by an agent and of the whole space."""
    agent = authenticate(kernel, seeded.large_key, "http")
    admin = authenticate(kernel, seeded.admin_key, "http")
    small = authenticate(kernel, seeded.small_key, "http")
    writer, texts = Writer(_SEED), cycle(seeded.fresh)

    def search(principal: Any) -> Callable[[], object]:
        return lambda: notes.search(kernel, principal, Question(writer.query()))

    found = {
        "search by an agent": _timed(search(agent), repeats),
        "search of the whole space": _timed(search(admin), repeats),
        "block built anew": _timed(lambda: blocks.build(kernel, agent, BlockQuery()), repeats),
        "block of few notes built anew": _timed(lambda: blocks.build(kernel, small, BlockQuery()), repeats),
        # As a server does it: who writes is told anew for each request.
        "note write": _timed(lambda: _write(kernel, seeded.large_key, next(texts)), repeats),
    }
    return {**found, "note writes at once": _at_once(kernel, seeded, repeats)}


def _write(kernel: Kernel, bearer: str, text: Text) -> object:
    return notes.create(kernel, authenticate(kernel, bearer, "http"), draft(text))


def draft(text: Text) -> Draft:
    """The text as a use case takes it."""
    return Draft(text.kind, text.title, text.body, text.tags)


def _timed(work: Callable[[], object], repeats: int) -> dict[str, float]:
    for _ in range(_WARM):
        work()
    spent, taken = time.process_time(), []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    cpu_us = (time.process_time() - spent) / repeats * 1e6
    found = delay(taken)
    return {"p50_ms": round(found.p50, 3), "p99_ms": round(found.p99, 3), "cpu_us": round(cpu_us)}


def _at_once(kernel: Kernel, seeded: Seeded, repeats: int) -> dict[str, float]:
    """Writes of many threads: what group commit makes of them."""
    agent = authenticate(kernel, seeded.small_key, "http")
    drafts = [draft(text) for text in islice(cycle(seeded.fresh), repeats * 4)]
    with ThreadPoolExecutor(WRITERS) as pool:
        start = time.perf_counter()
        list(pool.map(lambda one: notes.create(kernel, agent, one), drafts))
        took = time.perf_counter() - start
    return {"threads": WRITERS, "per_second": round(len(drafts) / took)}
