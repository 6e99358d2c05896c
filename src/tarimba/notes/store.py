"""SQL of reading notes. Every function takes a connection: a snapshot, or that of the transaction."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, func, or_, select

from tarimba.notes.model import Evidence, Filter, Note, Owner, Stored
from tarimba.storage.tables import agent, note_chain, note_version, vendor

SHOWN: Final = ("active", "retired")

_OWN_COLUMNS: Final = (
    note_chain.c.source_id,
    note_chain.c.age,
    note_chain.c.pool,
    note_chain.c.status.label("chain_status"),
    note_chain.c.head_note_id,
    agent.c.pool.label("agent_pool"),
    vendor.c.pool.label("vendor_pool"),
)
_TEXT_COLUMNS: Final = tuple(
    note_version.c[name]
    for name in (
        "note_id", "chain_id", "version", "supersedes_note_id", "kind", "title", "body", "tags", "visibility",
        "evidence", "origin", "valid_until", "created_at", "created_by", "salt", "content_hash",
    )
)  # fmt: skip
_IN_SPACE: Final = note_chain.c.space_id == bindparam("space_id")


def _same(left: Any, right: Any, *names: str) -> ColumnElement[bool]:
    return and_(*(left.c[name] == right.c[name] for name in ("space_id", *names)))


STORED: Final[Select[Any]] = (
    select(*_TEXT_COLUMNS, *_OWN_COLUMNS)
    .join_from(note_version, note_chain, _same(note_version, note_chain, "chain_id"))
    .join(agent, _same(note_chain, agent, "source_id"))
    .join(vendor, _same(agent, vendor, "vendor_id"))
    .where(_IN_SPACE, note_version.c.space_id == bindparam("space_id"))
)
_ONE: Final = STORED.where(note_version.c.note_id == bindparam("note_id"))
_CHAIN: Final = STORED.where(note_version.c.chain_id == bindparam("chain_id")).order_by(
    note_version.c.version
)
_HEADS: Final = STORED.where(
    note_chain.c.head_note_id == note_version.c.note_id,
    note_chain.c.status.in_(SHOWN),
    note_chain.c.age < bindparam("before"),
).order_by(note_chain.c.age.desc())
_BY_AGE: Final = STORED.where(
    note_chain.c.head_note_id == note_version.c.note_id,
    note_chain.c.age.in_(bindparam("ages", expanding=True)),
    note_chain.c.status == "active",
    or_(note_chain.c.valid_until.is_(None), note_chain.c.valid_until > bindparam("now")),
)
_OWNER: Final = (
    select(agent.c.source_id, agent.c.pool.label("agent_pool"), vendor.c.pool.label("vendor_pool"))
    .join_from(agent, vendor, _same(agent, vendor, "vendor_id"))
    .where(agent.c.space_id == bindparam("space_id"), agent.c.source_id == bindparam("source_id"))
)
_ACTIVE: Final = (
    select(func.count())
    .select_from(note_chain)
    .where(
        _IN_SPACE,
        note_chain.c.source_id == bindparam("source_id"),
        note_chain.c.status == "active",
        or_(note_chain.c.valid_until.is_(None), note_chain.c.valid_until > bindparam("now")),
    )
)
_READERS: Final = (
    select(func.count())
    .select_from(agent)
    .join(vendor, _same(agent, vendor, "vendor_id"))
    .where(agent.c.space_id == bindparam("space_id"))
)
_TERMS: Final = select(note_version.c.note_id, note_version.c.terms).where(
    note_version.c.space_id == bindparam("space_id"),
    note_version.c.note_id.in_(bindparam("note_ids", expanding=True)),
)


def owner(connection: Connection, space_id: str, source_id: str) -> Owner | None:
    """The agent with its pools, or None."""
    row = connection.execute(_OWNER, {"space_id": space_id, "source_id": source_id}).first()
    return Owner(row.source_id, row.agent_pool, row.vendor_pool) if row else None


def version(connection: Connection, space_id: str, note_id: str) -> Stored | None:
    """One version in whatever state its chain is."""
    row = connection.execute(_ONE, {"space_id": space_id, "note_id": note_id}).first()
    return stored(row) if row else None


def chain(connection: Connection, space_id: str, chain_id: str) -> list[Stored]:
    """All versions of a chain, oldest first."""
    return [stored(row) for row in connection.execute(_CHAIN, {"space_id": space_id, "chain_id": chain_id})]


def heads(
    connection: Connection,
    space_id: str,
    wanted: Filter,
    pools: Sequence[int] | None,
    before: int,
    limit: int,
) -> list[Stored]:
    """Heads in `pools` (None: all) that were begun before the age `before`, newest first."""
    query = _HEADS.where(*_conditions(wanted)).limit(limit)
    if pools is not None:
        query = query.where(note_chain.c.pool.in_(pools))
    return [stored(row) for row in connection.execute(query, {"space_id": space_id, "before": before})]


def heads_by_age(connection: Connection, space_id: str, ages: Sequence[int], now: int) -> dict[int, Stored]:
    """The active, unexpired heads among these ages."""
    values = {"space_id": space_id, "ages": list(ages), "now": now}
    return {row.age: stored(row) for row in connection.execute(_BY_AGE, values)}


def active_count(connection: Connection, space_id: str, source_id: str, now: int) -> int:
    """Active, unexpired notes of an agent."""
    values = {"space_id": space_id, "source_id": source_id, "now": now}
    return int(connection.scalar(_ACTIVE, values) or 0)


def readers(connection: Connection, space_id: str, of: Owner, visibility: str) -> int:
    """How many agents read a note of this agent with that visibility."""
    query = _READERS
    if visibility == "source":
        query = query.where(agent.c.source_id == of.source_id)
    elif visibility == "vendor":
        query = query.where(vendor.c.pool == of.vendor_pool)
    return int(connection.scalar(query, {"space_id": space_id}) or 0)


def terms_of(connection: Connection, space_id: str, note_ids: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The term ids under which each of these versions was indexed; none for one that is not there."""
    rows = connection.execute(_TERMS, {"space_id": space_id, "note_ids": list(note_ids)})
    found = {row.note_id: unpacked(row.terms or b"") for row in rows}
    return {note_id: found.get(note_id, ()) for note_id in note_ids}


def packed(terms: Sequence[int]) -> bytes:
    """Term ids as 8 little-endian bytes each."""
    return struct.pack(f"<{len(terms)}q", *terms)


def unpacked(terms: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(terms) // 8}q", bytes(terms))


def _conditions(wanted: Filter) -> list[ColumnElement[bool]]:
    columns = (
        (note_chain.c.status, wanted.status),
        (note_chain.c.source_id, wanted.source_id),
        (note_version.c.visibility, wanted.visibility),
        (note_version.c.kind, wanted.kind),
    )
    found = [column == value for column, value in columns if value is not None]
    if wanted.tag is not None:
        # Tags are a JSON array of strings that need no escape, so the quotes make the match exact.
        found.append(note_version.c.tags.contains(f'"{wanted.tag}"', autoescape=True))
    return found


def stored(row: Row[Any]) -> Stored:
    """A row of `STORED` as a value."""
    is_active = row.chain_status == "active" and row.note_id == row.head_note_id
    note = Note(
        note_id=row.note_id,
        source_id=row.source_id,
        kind=row.kind,
        title=row.title,
        body=row.body,
        tags=tuple(json.loads(row.tags)),
        visibility=row.visibility,
        evidence=Evidence(**json.loads(row.evidence)) if row.evidence else None,
        origin=row.origin,
        version=row.version,
        supersedes_note_id=row.supersedes_note_id,
        status="active" if is_active else "retired",
        valid_until=row.valid_until,
        created_at=row.created_at,
        created_by=row.created_by,
    )
    return Stored(
        note=note,
        chain_id=row.chain_id,
        age=row.age,
        pool=row.pool,
        chain_status=row.chain_status,
        head_note_id=row.head_note_id,
        owner=Owner(row.source_id, row.agent_pool, row.vendor_pool),
        salt=row.salt,
        content_hash=row.content_hash,
    )
