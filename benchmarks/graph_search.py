"""Milliseconds for searching a memory graph of 100,000 entities, in process, each search with its receipt.

Words are drawn as those of a language are: few are common, most are rare. Each kind of query is asked many times.

Run alone: python -m benchmarks.graph_search [ENTITIES]
"""

from __future__ import annotations

import base64
import json
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from benchmarks.graph import SPACE, own, taken
from tarimba.app import open_kernel
from tarimba.graph import service
from tarimba.graph.model import NewEntity, NewObservation
from tarimba.identity import hosting
from tarimba.settings import Settings
from tests.fixtures.cluster import PostgresServer, throwaway_postgres

ENTITIES: Final = 100_000
REPEATS: Final = 21
_BATCH: Final = 100
_WORDS: Final = 20_000
_SYLLABLES: Final = (
    "ba be bi bo ca ce co da de do fa fe ga la le lo ma me mo na ne no pa pe ra re ro sa se ta".split()
)
_ENDINGS: Final = ("", "s", "r", "cao", "mento")


class _Language:
    """Made-up words by how common they are, and texts of them; the same for everybody."""

    def __init__(self) -> None:
        self.chance = random.Random(7)
        words: dict[str, None] = {}
        while len(words) < _WORDS:
            stem = "".join(self.chance.choices(_SYLLABLES, k=self.chance.randint(2, 5)))
            words[stem + self.chance.choice(_ENDINGS)] = None
        self.words = list(words)
        self._weights = list(accumulate(1 / (place + 3) for place in range(_WORDS)))

    def text(self, count: int) -> str:
        return " ".join(self.chance.choices(self.words, cum_weights=self._weights, k=count))

    def word(self, first: int, last: int) -> str:
        """A word between two places in the order of how common they are."""
        return self.words[self.chance.randint(first, last)]

    def entity(self, number: int) -> NewEntity:
        said = tuple(NewObservation(self.text(9)) for _ in range(2))
        return NewEntity(f"{self.text(2)} {number:06}", self.word(0, 20), said)


def measure(data: Path, url: str | None, master: str, entities: int) -> dict[str, Any]:
    """p50 in milliseconds of each kind of query, of all of them together (`p50_ms`), and of `semantic_search`."""
    language = _Language()
    settings = Settings(data=data, db=url, master_key=SecretStr(master))
    with open_kernel(settings) as kernel:
        one = own(kernel, hosting.apply_text(kernel, SPACE).space_id, "large")
        for start in range(0, entities, _BATCH):
            some = [language.entity(number) for number in range(start, start + _BATCH)]
            service.create_entities(kernel, one.scope, one.by, some)
        if url is not None:
            with kernel.database.maintenance() as connection:
                connection.exec_driver_sql("ANALYZE")

        def search(query: str) -> None:
            service.search_nodes(kernel, one.scope, one.by, query)

        def mean(query: str) -> None:
            service.semantic_search(kernel, one.scope, one.by, query)

        times = {kind: list(_times(search, query)) for kind, query in _queries(language, entities).items()}
        meant = list(_times(mean, lambda: language.text(5)))
    all_times = [spent for kind in times.values() for spent in kind]
    return {
        "entities": entities,
        "p50_ms": round(statistics.median(all_times), 2),
        "by_kind": {kind: round(statistics.median(some), 2) for kind, some in times.items()},
        "semantic_ms": round(statistics.median(meant), 2),
    }


def _queries(language: _Language, entities: int) -> Mapping[str, Callable[[], str]]:
    def inner() -> str:
        word = language.word(300, 10_000)
        return word[1:-1] if len(word) > 4 else word

    return {
        "a rare word": lambda: language.word(5_000, _WORDS - 1),
        "a word": lambda: language.word(100, 1_000),
        "a common word": lambda: language.word(0, 5),
        "a part of a word": inner,
        "two words": lambda: f"{language.word(10, 300)} {language.word(10, 300)}",
        "three common words": lambda: " ".join(language.word(0, 20) for _ in range(3)),
        "a name": lambda: f"{language.chance.randrange(entities):06}",
        "nothing that is there": lambda: "xyzzy plugh",
        "three letters": lambda: language.chance.choice(("men", "cao", "ato")),
    }


def _times(search: Callable[[str], None], query: Callable[[], str]) -> Iterator[float]:
    for _ in range(REPEATS):
        asked = query()
        yield taken(lambda asked=asked: search(asked))  # type: ignore[misc]


def run(postgres: PostgresServer, entities: int = ENTITIES) -> dict[str, Any]:
    """The figures of both databases."""
    found: dict[str, Any] = {}
    for name in ("sqlite", "postgresql"):
        url = postgres.create_database() if name == "postgresql" else None
        with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
            found[name] = measure(Path(folder), url, base64.b64encode(os.urandom(32)).decode(), entities)
        if url is not None:
            postgres.drop_database(url)
    return found


if __name__ == "__main__":
    with throwaway_postgres() as cluster:
        print(json.dumps(run(cluster, int((sys.argv[1:] or [str(ENTITIES)])[0])), indent=1))
