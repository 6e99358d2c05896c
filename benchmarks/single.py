"""One request at a time over HTTP: hot, and first after a write, beside the bare route with the same bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from benchmarks.load import delay
from benchmarks.processes import bare_server
from benchmarks.seed import Seeded
from benchmarks.texts import Text, Writer
from benchmarks.wire import Wire, request
from tarimba.blocks.endpoint import PATH as BLOCK

NOTES = "/v1/agent-memory/notes"
SEARCH = "/v1/agent-memory/search"
_WRITER_SEED = 5


@dataclass(frozen=True, slots=True)
class Step:
    """A request that is timed, and one before it that is not."""

    name: str
    make: Callable[[], bytes]
    first: Callable[[], bytes] | None = None


def note_body(text: Text) -> dict[str, Any]:
    """The body of a request that keeps a note."""
    return {"kind": text.kind, "title": text.title, "body": text.body, "tags": list(text.tags)}


def measure(port: int, seeded: Seeded, repeats: int) -> dict[str, Any]:
    """Milliseconds (p50, p99) of each step and of the bare route that answers its bytes."""
    writer = Writer(_WRITER_SEED)
    with Wire(port) as wire:
        return {step.name: _compare(wire, step, repeats) for step in _steps(seeded, writer)}


def _steps(seeded: Seeded, writer: Writer) -> Iterator[Step]:
    key = seeded.large_key
    block = request("GET", BLOCK, bearer=key)
    etag = {"If-None-Match": "*"}

    texts = cycle(seeded.fresh)

    def write() -> bytes:
        return request("POST", NOTES, bearer=key, body=note_body(next(texts)))

    def search() -> bytes:
        return request("POST", SEARCH, bearer=key, body={"query": writer.query()})

    def search_all() -> bytes:
        return request("POST", SEARCH, bearer=seeded.admin_key, body={"query": writer.query()})

    yield Step("block hot", lambda: block)
    yield Step("block not modified", lambda: request("GET", BLOCK, bearer=key, headers=etag))
    yield Step("block first after a write", lambda: block, write)
    yield Step("search by an agent", search)
    yield Step("search of the whole space", search_all)
    yield Step("search first after a write", search, write)
    yield Step("note write", write)


def _compare(wire: Wire, step: Step, repeats: int) -> dict[str, Any]:
    content = wire.ask_ok(step.make())
    with ExitStack() as stack:
        # A 304 has no bytes: its yardstick is the smallest answer that there is.
        port, _ = stack.enter_context(bare_server(content or b"{}"))
        bare = stack.enter_context(Wire(port))
        mine, its = [], []
        plain = request("GET", "/plain", bearer="x")
        for _ in range(repeats):
            if step.first is not None:
                wire.ask_ok(step.first())
            mine.append(_timed(wire, step.make()))
            its.append(_timed(bare, plain))
    ours, yard = delay(mine), delay(its)
    return {
        "p50_ms": round(ours.p50, 3),
        "p99_ms": round(ours.p99, 3),
        "bare_p50_ms": round(yard.p50, 3),
        "answer_bytes": len(content),
    }


def _timed(wire: Wire, sent: bytes) -> float:
    start = time.perf_counter()
    wire.ask_ok(sent)
    return time.perf_counter() - start
