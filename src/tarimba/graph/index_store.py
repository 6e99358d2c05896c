"""SQL of the index. Through the drivers: lists are one parameter, and PostgreSQL writes all rows in one statement."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, select

from tarimba.graph.postings import Members, bits
from tarimba.graph.vocabulary import lines_of, stored
from tarimba.storage.tables import graph_posting, graph_vector, graph_word
from tarimba.storage.transactions import Tx

Shards = dict[int, tuple[set[str], set[str]]]
"""Number of the shard -> its words, and its lines of forms."""

# A list is one parameter: rendering a thousand takes longer than the search for them.
_AMONG: Final = {"sqlite": "IN (SELECT value FROM json_each(?))", "postgresql": "= ANY(%s)"}
_OF_GRAPH: Final = {
    "sqlite": "WHERE space_id = ? AND graph_no = ?",
    "postgresql": "WHERE space_id = %s AND graph_no = %s",
}
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
        query = "SELECT term, members FROM graph_posting {of_graph} AND chunk = {chunk} AND term {among}"
        rows = _among(connection, query, (space_id, graph_no), terms, chunk)
        found |= {(term, chunk): members for term, members in rows}
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
    query = "SELECT DISTINCT term FROM graph_posting {of_graph} AND term {among}"
    return {term for (term,) in _among(connection, query, (space_id, graph_no), terms)}


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
    query = "SELECT term, chunk, members FROM graph_posting {of_graph} AND term {among}"
    return _among(connection, query, (space_id, graph_no), terms)


def shards(connection: Connection, graph_no: int, space_id: str, numbers: Collection[int]) -> Shards:
    """The shards of these numbers; those without words are left out."""
    query = "SELECT shard, words, forms FROM graph_word {of_graph} AND shard {among}"
    rows = _among(connection, query, (space_id, graph_no), numbers)
    return {shard: (lines_of(words), lines_of(forms)) for shard, words, forms in rows}


def put_shards(tx: Tx, graph_no: int, rows: Shards) -> None:
    _put(
        tx,
        graph_no,
        _WORD,
        [(shard, stored(words), stored(forms)) for shard, (words, forms) in sorted(rows.items())],
    )


def words_in(
    connection: Connection, graph_no: int, space_id: str, numbers: Collection[int]
) -> dict[int, str]:
    """The text of the words in these shards."""
    query = "SELECT shard, words FROM graph_word {of_graph} AND shard {among}"
    return dict(_among(connection, query, (space_id, graph_no), numbers))


def forms_in(
    connection: Connection, graph_no: int, space_id: str, numbers: Collection[int]
) -> dict[int, str]:
    """The text of the forms in these shards."""
    query = "SELECT shard, forms FROM graph_word {of_graph} AND shard {among}"
    return dict(_among(connection, query, (space_id, graph_no), numbers))


def all_words(connection: Connection, graph_no: int, space_id: str) -> list[str]:
    """The text of every shard of words: a million words are some ten megabytes."""
    table = graph_word.c
    return list(
        connection.scalars(select(table.words).where(table.space_id == space_id, table.graph_no == graph_no))
    )


def drop_vectors(tx: Tx, graph_no: int, entity_nos: Collection[int]) -> None:
    table = graph_vector.c
    query = delete(graph_vector).where(
        table.space_id == tx.space_id, table.graph_no == graph_no, table.entity_no == bindparam("of_entity")
    )
    if entity_nos:
        tx.write(query, [{"of_entity": number} for number in sorted(entity_nos)])


def _among(
    connection: Connection, query: str, of_graph: tuple[str, int], listed: Collection[int], chunk: int = 0
) -> list[Any]:
    """The rows of a query of ours whose last condition is a list."""
    if not listed:
        return []
    dialect = connection.dialect.name
    statement = query.format(of_graph=_OF_GRAPH[dialect], among=_AMONG[dialect], chunk=chunk)
    values: Any = json.dumps(sorted(listed)) if dialect == "sqlite" else sorted(listed)
    return list(connection.exec_driver_sql(statement, (*of_graph, values)))


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
