"""How well searches of the memory graph find: sixty Portuguese questions over 2,000 entities, by words and by meaning.

Run: python -m measure.graph_search [--page FILE] [--json FILE]
An embedder that is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from benchmarks import machine
from measure.graph_facts import FACTS, Fact
from measure.graph_work import graph
from tarimba.app import open_kernel
from tarimba.graph import service
from tarimba.graph.meaning import EMBEDDERS, meaning
from tarimba.graph.model import By, EmbedderError, NewEntity, NewObservation, Scope
from tarimba.identity import hosting
from tarimba.identity.seats import Called, seat_named
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor
from tarimba.settings import Settings

_PAGE: Final = 100
_SEEN: Final = 10
_SPACE: Final = """
[space]
slug = "graph"
name = "Graph"
language = "pt"
[[vendor]]
slug = "north"
[[agent]]
slug = "helper"
vendor = "north"
harness = "ganglion"
[[person]]
slug = "member"
email = "member@acme.example"
roles = ["member"]
[[subscription]]
slug = "team"
members = ["member"]
"""


@dataclass(frozen=True, slots=True)
class Found:
    """How many questions have their answer among the first 1, 5, 10; of the thirty of each kind, among the first 5."""

    search: str
    embedder: str
    at_1: int
    at_5: int
    at_10: int
    inflected_at_5: int
    reworded_at_5: int
    embedding_ms: float
    question_ms: float


def main() -> None:
    options = _options()
    with seat() as (kernel, scope):
        fill(kernel, scope, graph())
        found, missing = _measured(kernel, scope, options.embedder or sorted(EMBEDDERS))
    sys.stdout.write("\n".join(table(found, missing)) + "\n")
    if options.page is not None:
        options.page.write_text(page(found, missing), encoding="utf-8")
    if options.json is not None:
        report = {"machine": machine.describe(), "found": [asdict(one) for one in found], "missing": missing}
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


@contextmanager
def seat(url: str | None = None) -> Iterator[tuple[Kernel, Scope]]:
    """A new company with one member: its kernel and whose graph is searched."""
    with tempfile.TemporaryDirectory(prefix="tarimba-graph-") as folder:
        master = SecretStr(base64.b64encode(os.urandom(32)).decode())
        with open_kernel(Settings(data=Path(folder), db=url, master_key=master)) as kernel:
            space_id = hosting.apply_text(kernel, _SPACE).space_id
            with kernel.database.read() as connection:
                found = seat_named(connection, space_id, Called("team", "helper", "member"))
            yield kernel, Scope(space_id, found.subscription_id, found.source_id, found.person_id)


def fill(kernel: Kernel, scope: Scope, facts: Sequence[Fact]) -> None:
    """Stores the facts, a hundred at a time."""
    entities = [
        NewEntity(fact.name, fact.kind, tuple(NewObservation(text) for text in fact.observations))
        for fact in facts
    ]
    for start in range(0, len(entities), _PAGE):
        service.create_entities(kernel, scope, by(scope), entities[start : start + _PAGE])


def by(scope: Scope) -> By:
    return By(Actor("agent", scope.source_id), "mcp")


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="python -m measure.graph_search", description=__doc__)
    parser.add_argument(
        "--embedder",
        action="append",
        choices=sorted(EMBEDDERS),
        help="only this one; may come more than once",
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help="also write the page of the documentation")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything as JSON")
    return parser.parse_args()


def _measured(kernel: Kernel, scope: Scope, names: Sequence[str]) -> tuple[list[Found], list[str]]:
    found, missing = [_found(replace(kernel, meaning=None), scope, "none", 0.0)], []
    for name in names:
        try:
            able = replace(kernel, meaning=meaning(name))
        except EmbedderError:
            missing.append(name)
            continue
        start = time.perf_counter()
        upkeep = service.Embedding(able)
        while upkeep.piece():
            pass
        spent = (time.perf_counter() - start) * 1000
        found.append(_found(able, scope, name, spent / len(graph())))
    return found, missing


def _found(kernel: Kernel, scope: Scope, embedder: str, embedding_ms: float) -> Found:
    ranks, used, start = [], set(), time.perf_counter()
    for fact in FACTS:
        result = service.semantic_search(kernel, scope, by(scope), fact.question, k=_SEEN)
        used.add(result.search_type)
        names = [hit.entity.name for hit in result.hits]
        ranks.append(names.index(fact.name) if fact.name in names else _SEEN)
    spent = (time.perf_counter() - start) * 1000
    near = [fact.way for fact, rank in zip(FACTS, ranks, strict=True) if rank < 5]
    return Found(
        " and ".join(sorted(used)),
        embedder,
        sum(rank < 1 for rank in ranks),
        len(near),
        sum(rank < _SEEN for rank in ranks),
        near.count("inflected"),
        near.count("reworded"),
        round(embedding_ms, 1),
        round(spent / len(FACTS), 1),
    )


def table(found: Sequence[Found], missing: Sequence[str]) -> list[str]:
    """A table of the figures, one line for each search."""
    heads = (
        "search",
        "embedder",
        "hit@1",
        "hit@5",
        "hit@10",
        "inflected",
        "reworded",
        "ms an entity",
        "ms a question",
    )
    lines = [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for one in found:
        hits = (
            f"{one.at_1} | {one.at_5} | {one.at_10} | {one.inflected_at_5} of 30 | {one.reworded_at_5} of 30"
        )
        lines.append(f"| {one.search} | {one.embedder} | {hits} | {one.embedding_ms} | {one.question_ms} |")
    return lines + [f"\n{name}: not installed, not measured" for name in missing]


def page(found: Sequence[Found], missing: Sequence[str]) -> str:
    return "\n".join(
        [
            "<!-- Written by `python -m measure.graph_search --page FILE`: measure again, don't edit. -->",
            "",
            "# How well searches of the graph find",
            "",
            "Sixty questions in Portuguese over a graph of 2,000 entities: systems, rules, suppliers, places and",
            "processes of a company that does not exist, 60 written by hand, the others put together by a seeded",
            "generator (`measure/graph_facts.py`, `measure/graph_work.py`). Thirty questions have the words of the",
            "answer in other forms and without accents (inflected), thirty other words (reworded). Nobody but us",
            "wrote them, and how the two rankings become one was chosen with them at hand: other graphs will give",
            "other figures.",
            "",
            *table(found, missing),
            "",
            "`hit@5` counts the questions whose answer is among the first five entities of `semantic_search`, as do",
            "the columns of thirty. Milliseconds are those of this run, of whole calls with their receipts, on",
            f"{machine.describe()['cpu']}.",
            "",
        ]
    )


if __name__ == "__main__":
    main()
