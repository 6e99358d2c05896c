"""Making the vectors of a graph beside the requests, and scanning them for a search. Never inside a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection

from tarimba.clock import SECOND
from tarimba.graph import store, vector_store
from tarimba.graph.meaning import Meaning, Vectors
from tarimba.graph.rows import Graph
from tarimba.kernel import Kernel
from tarimba.storage.transactions import Tx

_PIECE: Final = 16
_GRAPHS: Final = 4
# Of an entity so much is embedded: what it is, and what was observed of it, the first things first.
_TEXT_MAX: Final = 2_000
_OBSERVATIONS_MAX: Final = 64
_REST: Final = 2 * SECOND


class Embedding:
    """Upkeep: a piece embeds what changed last in a few graphs, after a change of the embedder all there is."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._rests_until = 0

    def piece(self) -> bool:
        """Embeds some entities. Whether more of them are waiting."""
        meaning = self._kernel.meaning
        now = self._kernel.clock.now_us()
        if meaning is None or now < self._rests_until:
            return False
        with self._kernel.database.read() as connection:
            graphs = vector_store.behind(connection, meaning.embedder.model, _GRAPHS)
        for graph in graphs:
            embed(self._kernel, meaning, graph)
        if not graphs:
            self._rests_until = now + _REST
        return bool(graphs)


def embed(kernel: Kernel, meaning: Meaning, at: Graph, most: int = _PIECE) -> int:
    """Embeds the next entities of a graph. Returns how many that were."""
    model = meaning.embedder.model
    with kernel.database.read() as connection:
        due = vector_store.due(connection, at, model, most)
        texts = _texts(connection, at, due)
    if not due:
        return 0
    rows = meaning.embedder.passages(texts)
    made = [(number, changed, _stored(row)) for (number, _, _, changed), row in zip(due, rows, strict=True)]

    def work(tx: Tx) -> None:
        # What changed since will come again: its vector would speak of what is gone.
        still = vector_store.standing(tx.connection, at, [number for number, _, _ in made])
        vector_store.put(tx, at, model, [row for row in made if still.get(row[0]) == row[1]])

    kernel.writer.commit(at.space_id, work)
    return len(made)


def nearest(connection: Connection, meaning: Meaning, at: Graph, question: Any, most: int) -> list[int]:
    """The entities whose vectors are nearest to that of a question, nearest first; none where none has one."""
    import numpy as np

    found: list[tuple[Sequence[int], Any]] = []
    for numbers, rows in _all(connection, meaning, at):
        found.append((numbers, rows @ question))
    if not found:
        return []
    among = np.concatenate([np.asarray(part, dtype=np.int64) for part, _ in found])
    # What no two machines add up in the same order must not decide between equals.
    near = np.rint(np.concatenate([part for _, part in found]) * 1_000_000).astype(np.int64)
    return [int(among[place]) for place in np.lexsort((among, -near))[:most]]


def _all(connection: Connection, meaning: Meaning, at: Graph) -> list[tuple[Sequence[int], Any]]:
    """The vectors of a graph: those at hand, else those stored."""
    model, graph = meaning.embedder.model, (at.space_id, at.graph_no)
    mark = vector_store.mark(connection, at, model)
    kept = meaning.kept(graph, mark)
    if kept is None:
        kept = _read(connection, meaning, at, mark)
        meaning.keep(graph, kept)
    return [(kept.numbers, kept.rows)] if kept.numbers else []


def _read(connection: Connection, meaning: Meaning, at: Graph, mark: tuple[int, int]) -> Vectors:
    import numpy as np

    dimensions = meaning.embedder.dimensions
    numbers: list[int] = []
    parts = [np.empty((0, dimensions), dtype="<f4")]
    for some, stored in vector_store.blocks(connection, at, meaning.embedder.model):
        numbers += some
        parts.append(np.frombuffer(stored, dtype="<f4").reshape(len(some), dimensions))
    return Vectors(mark, numbers, np.concatenate(parts))


def _texts(connection: Connection, at: Graph, due: Sequence[tuple[int, str, str, int]]) -> list[str]:
    texts = []
    for number, name, kind, _ in due:
        said = store.observations_of(connection, at, [number], limit=_OBSERVATIONS_MAX)
        parts = [name, kind, *(one.content for one in said)]
        texts.append(". ".join(parts)[:_TEXT_MAX])
    return texts


def _stored(row: Any) -> bytes:
    import numpy as np

    stored: bytes = np.asarray(row, dtype="<f4").tobytes()
    return stored
