"""A member's graph as a file: everything that it holds, in the form of other memory servers or as one document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from tarimba.clock import rfc3339
from tarimba.graph import member_store, sources, store
from tarimba.graph.changes import steps_json
from tarimba.graph.formats import Format, entity_json, relation_json
from tarimba.graph.model import By, Entity, Relation, Scope
from tarimba.graph.rows import EntityRow, Graph
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read

_ROWS: Final = 200
_OBSERVATIONS: Final = 2_000
_CHANGES: Final = 50
_ALL: Final = ("active", "archived", "merged")
# The reference server would take what was merged away for entities of their own.
_KEPT: Final = ("active", "archived")

_SENT: Final = 64 * 1024

Kind = tuple[str, dict[str, Any]]
Reading = Callable[[], AbstractContextManager[Connection]]


@dataclass(frozen=True, slots=True)
class Exported:
    """A file in pieces. Its receipt is durable before the first piece is made."""

    pieces: Iterator[bytes]
    receipt: Recorded


def export_graph(kernel: Kernel, scope: Scope, by: By, format_: Format) -> Exported:
    """The whole graph; a part that changes meanwhile is as it is when its turn comes."""
    with kernel.database.read() as connection:
        at = store.graph_of(connection, scope)
    counts = {"entities": at.entities, "relations": at.relations} if at else {}
    detail = {"read": "export", "format": format_, **counts}
    receipt = Receipt("graph.read", by.actor, by.via, scope.source_id, scope.objects, detail)
    recorded = record_read(kernel.writer, scope.space_id, receipt)
    rows = _rows(kernel.database.read, at, format_)
    pieces = _document(rows) if format_ == "json" else _lines(rows)
    return Exported(_gathered(pieces), recorded)


def export_of(_kernel: Kernel, connection: Connection, scope: Scope) -> Iterator[dict[str, Any]]:
    """Everything that a graph holds, row by row: `kind` is `entity`, `relation` or `change`."""
    at = store.graph_of(connection, scope)
    if at is None:
        return
    for kind, entry in _rows(lambda: nullcontext(connection), at, "json"):
        yield {"kind": kind} | entry
    before: int | None = None
    while True:
        rows = member_store.whole_changes(connection, at, before, _CHANGES)
        for row in rows:
            yield _change(row)
        if len(rows) < _CHANGES:
            return
        before = rows[-1].change_no


def _lines(rows: Iterator[Kind]) -> Iterator[bytes]:
    for kind, row in rows:
        yield _json({"type": kind} | row) + b"\n"


def _document(rows: Iterator[Kind]) -> Iterator[bytes]:
    yield b'{"entities":['
    kind, separator = "entity", b""
    for each, row in rows:
        if each != kind:
            yield b'],"relations":['
            kind, separator = each, b""
        yield separator + _json(row)
        separator = b","
    yield b"]}" if kind == "relation" else b'],"relations":[]}'


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that are worth sending."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _SENT:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _rows(reading: Reading, at: Graph | None, format_: Format) -> Iterator[Kind]:
    """Entities, then relations, in the order in which they were made."""
    if at is None:
        return
    for entity in _entities(reading, at, _KEPT if format_ == "jsonl" else _ALL):
        yield "entity", entity_json(entity, format_)
    for relation in _relations(reading, at):
        yield "relation", relation_json(relation, format_)


def _entities(reading: Reading, at: Graph, statuses: tuple[str, ...]) -> Iterator[Entity]:
    after = 0
    while True:
        with reading() as connection:
            rows = store.entities_after(connection, at, after, statuses, _ROWS)
            into = _into(connection, at, rows)
        for group in _groups(rows):
            with reading() as connection:
                seen = store.observations_of(connection, at, [row.entity_no for row in group])
            by_entity: dict[int, list[Any]] = {row.entity_no: [] for row in group}
            for one in seen:
                by_entity[one.entity_no].append(sources.observation_of(one))
            for row in group:
                yield _entity(row, tuple(by_entity[row.entity_no]), into)
        if len(rows) < _ROWS:
            return
        after = rows[-1].entity_no


def _relations(reading: Reading, at: Graph) -> Iterator[Relation]:
    after = 0
    while True:
        with reading() as connection:
            rows = store.relations_after(connection, at, after, _ROWS)
        for row in rows:
            yield sources.relation_of(row, is_dangling=False)
        if len(rows) < _ROWS:
            return
        after = rows[-1].relation_no


def _groups(rows: list[EntityRow]) -> Iterator[list[EntityRow]]:
    """Neighbours whose observations are loaded together; one with many alone."""
    group: list[EntityRow] = []
    count = 0
    for row in rows:
        if group and count + row.observations > _OBSERVATIONS:
            yield group
            group, count = [], 0
        group.append(row)
        count += row.observations
    if group:
        yield group


def _into(connection: Connection, at: Graph, rows: list[EntityRow]) -> dict[int, str]:
    numbers = sorted({row.merged_into for row in rows if row.merged_into is not None})
    return {number: row.name for number, row in store.entities_numbered(connection, at, numbers).items()}


def _entity(row: EntityRow, observations: tuple[Any, ...], into: dict[int, str]) -> Entity:
    return Entity(
        entity_no=row.entity_no,
        name=row.name,
        entity_type=row.entity_type,
        status=row.status,
        merged_into=None if row.merged_into is None else into.get(row.merged_into),
        conversation_id=row.conversation_id,
        created_at=row.created_at,
        changed_at=row.changed_at,
        observations=observations,
        observation_count=row.observations,
    )


def _change(row: Any) -> dict[str, Any]:
    return {
        "kind": "change",
        "change_id": row.change_id,
        "action": row.action,
        "actor": {"type": row.actor_type, "id": row.actor_id},
        "conversation_id": row.conversation_id,
        "at": rfc3339(row.at),
        "receipt_id": row.receipt_id,
        "undone_by": row.undone_by,
        "before": steps_json(row.before),
    }


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
