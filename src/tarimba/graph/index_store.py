"""SQL of the index. Written through the drivers: one statement over arrays is what PostgreSQL takes in time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, select

from tarimba.graph.postings import Members, bits
from tarimba.graph.vocabulary import lines_of, stored
from tarimba.storage.tables import graph_posting, graph_vector, graph_word
from tarimba.storage.transactions import Tx

# SQLite takes 32,766 parameters in a statement, and no planner likes long lists.
_AT_ONCE: Final = 1000
Shards = dict[int, tuple[set[str], set[str]]]
"""Number of the shard -> its words, and its lines of forms."""

_SHARD: Final = select(graph_word.c.shard, graph_word.c.words, graph_word.c.forms).where(
    graph_word.c.space_id == bindparam("space_id"), graph_word.c.graph_no == bindparam("graph_no")
)
_OF_GRAPH: Final = (
    graph_posting.c.space_id == bindparam("space_id"),
    graph_posting.c.graph_no == bindparam("graph_no"),
)
_HAVING: Final = select(graph_posting.c.term, graph_posting.c.chunk, graph_posting.c.members).where(
    *_OF_GRAPH, graph_posting.c.term.in_(bindparam("terms", expanding=True))
)
_IN_CHUNK: Final = _HAVING.where(graph_posting.c.chunk == bindparam("chunk"))
_PUT: Final = {
    "sqlite": "INSERT INTO {0} (space_id, graph_no, {1}, {2}, {3}) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (space_id, graph_no, {4}) DO UPDATE SET {5}",
    "postgresql": "INSERT INTO {0} (space_id, graph_no, {1}, {2}, {3}) SELECT %s, %s, put.* FROM "
    "unnest(%s::{6}[], %s::{7}[], %s::{8}[]) AS put ON CONFLICT (space_id, graph_no, {4}) DO UPDATE SET {5}",
}
_POSTING: Final = (
    "graph_posting", "term", "chunk", "members", "term, chunk", "members = excluded.members",
    "bigint", "bigint", "bytea",
)  # fmt: skip
_WORD: Final = (
    "graph_word", "shard", "words", "forms", "shard", "words = excluded.words, forms = excluded.forms",
    "bigint", "text", "text",
)  # fmt: skip


def postings(
    connection: Connection, graph_no: int, space_id: str, keys: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], bytes]:
    """(term, chunk) -> the members, for those that have any."""
    found: dict[tuple[int, int], bytes] = {}
    for chunk in {chunk for _, chunk in keys}:
        terms = [term for term, within in keys if within == chunk]
        for start in range(0, len(terms), _AT_ONCE):
            values = {"space_id": space_id, "graph_no": graph_no, "chunk": chunk}
            rows = connection.execute(_IN_CHUNK, {**values, "terms": terms[start : start + _AT_ONCE]})
            found |= {(term, chunk): members for term, chunk, members in rows}
    return found


def put_postings(tx: Tx, graph_no: int, rows: Mapping[tuple[int, int], bytes]) -> None:
    _put(tx, graph_no, _POSTING, [(term, chunk, members) for (term, chunk), members in sorted(rows.items())])


def drop_postings(tx: Tx, graph_no: int, keys: Collection[tuple[int, int]]) -> None:
    if not keys:
        return
    table = graph_posting.c
    query = delete(graph_posting).where(
        table.space_id == tx.space_id,
        table.graph_no == graph_no,
        table.term == bindparam("of_term"),
        table.chunk == bindparam("of_chunk"),
    )
    tx.write(query, [{"of_term": term, "of_chunk": chunk} for term, chunk in keys])


def present(connection: Connection, graph_no: int, space_id: str, terms: Collection[int]) -> set[int]:
    """Which of the terms any entity has."""
    found: set[int] = set()
    listed = sorted(terms)
    query = select(graph_posting.c.term).distinct().where(*_OF_GRAPH)
    for start in range(0, len(listed), _AT_ONCE):
        among = query.where(graph_posting.c.term.in_(listed[start : start + _AT_ONCE]))
        found |= set(connection.scalars(among, {"space_id": space_id, "graph_no": graph_no}))
    return found


def members(
    connection: Connection, graph_no: int, space_id: str, terms: Collection[int]
) -> dict[int, Members]:
    """For each term that any entity has, which have it."""
    found: dict[int, Members] = {}
    for term, chunk, here in counted(connection, graph_no, space_id, terms):
        found.setdefault(term, {})[chunk] = bits(here)
    return found


def counted(
    connection: Connection, graph_no: int, space_id: str, terms: Collection[int]
) -> list[tuple[int, int, bytes]]:
    """(term, chunk, members as they are stored)."""
    listed = sorted(terms)
    rows: list[Any] = []
    for start in range(0, len(listed), _AT_ONCE):
        values = {"space_id": space_id, "graph_no": graph_no, "terms": listed[start : start + _AT_ONCE]}
        rows += connection.execute(_HAVING, values)
    return [(row[0], row[1], row[2]) for row in rows]


def shards(connection: Connection, graph_no: int, space_id: str, numbers: Sequence[int]) -> Shards:
    """The shards of these numbers; those without words are left out."""
    found: Shards = {}
    for start in range(0, len(numbers), _AT_ONCE):
        query = _SHARD.where(graph_word.c.shard.in_(numbers[start : start + _AT_ONCE]))
        rows = connection.execute(query, {"space_id": space_id, "graph_no": graph_no})
        found |= {shard: (lines_of(words), lines_of(forms)) for shard, words, forms in rows}
    return found


def put_shards(tx: Tx, graph_no: int, rows: Shards) -> None:
    _put(
        tx,
        graph_no,
        _WORD,
        [(shard, stored(words), stored(forms)) for shard, (words, forms) in sorted(rows.items())],
    )


def words_in(connection: Connection, graph_no: int, space_id: str) -> list[str]:
    """The text of every shard of words: a million words are some ten megabytes."""
    query = select(graph_word.c.words).where(
        graph_word.c.space_id == space_id, graph_word.c.graph_no == graph_no
    )
    return list(connection.scalars(query))


def forms_in(
    connection: Connection, graph_no: int, space_id: str, numbers: Collection[int]
) -> dict[int, str]:
    """The text of the forms in these shards."""
    query = select(graph_word.c.shard, graph_word.c.forms).where(
        graph_word.c.space_id == space_id,
        graph_word.c.graph_no == graph_no,
        graph_word.c.shard.in_(sorted(numbers)),
    )
    return {row.shard: row.forms for row in connection.execute(query)}


def drop_vectors(tx: Tx, graph_no: int, entity_nos: Collection[int]) -> None:
    table = graph_vector.c
    listed = sorted(entity_nos)
    mine = (table.space_id == tx.space_id, table.graph_no == graph_no)
    for start in range(0, len(listed), _AT_ONCE):
        tx.write(delete(graph_vector).where(*mine, table.entity_no.in_(listed[start : start + _AT_ONCE])))


def _put(tx: Tx, graph_no: int, into: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Stores the rows in the place of those that are there. `tx.connection` writes: no receipt hangs on an index."""
    if not rows:
        return
    dialect = tx.connection.dialect.name
    statement = _PUT[dialect].format(*into)
    if dialect == "sqlite":
        tx.connection.exec_driver_sql(statement, [(tx.space_id, graph_no, *row) for row in rows])
    else:
        columns = [list(column) for column in zip(*rows, strict=True)]
        tx.connection.exec_driver_sql(statement, (tx.space_id, graph_no, *columns))
