"""Feeds the verifier from the database: one snapshot of the log, its head, the stored notes, keys and index."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Select, and_, select

from tarimba.blocks import rules as blocks
from tarimba.clock import rfc3339
from tarimba.errors import not_found
from tarimba.kernel import Kernel
from tarimba.receipts.canonical import canonical
from tarimba.receipts.cold import Cold
from tarimba.receipts.cold_comparison import ColdComparison
from tarimba.receipts.derived import Comparisons, IndexComparison, KeyComparison, NodeComparison
from tarimba.receipts.note_comparison import NoteComparison, Place, Version
from tarimba.receipts.reading import notes_of
from tarimba.receipts.report import Report
from tarimba.receipts.seal import seal
from tarimba.receipts.verify import Bundle, Checkpoint, LogHead, verify_log
from tarimba.storage import Database
from tarimba.storage.tables import agent, job, note_chain, note_version, receipt_bundle, space_head, vendor
from tarimba.vault import SpaceKey

_ROWS_AHEAD = 64
_ETAGS_KEPT = 4096
_CHAIN = note_chain.c
# Each version with the state of its chain and the pools of those who may read it.
_VERSIONS = (
    select(
        note_version, _CHAIN.source_id, _CHAIN.head_note_id, _CHAIN.head_version, _CHAIN.status, _CHAIN.pool,
        _CHAIN.valid_until.label("chain_until"), agent.c.pool.label("agent_pool"), vendor.c.pool.label("vendor_pool"),
    )
    .join(note_chain, and_(_CHAIN.space_id == note_version.c.space_id, _CHAIN.chain_id == note_version.c.chain_id))
    .join(agent, and_(agent.c.space_id == _CHAIN.space_id, agent.c.source_id == _CHAIN.source_id))
    .join(vendor, and_(vendor.c.space_id == agent.c.space_id, vendor.c.vendor_id == agent.c.vendor_id))
)  # fmt: skip


def verify_space(
    kernel: Kernel,
    space_id: str,
    kept: Iterable[Checkpoint] = (),
    *,
    reached: Callable[[int], None] | None = None,
) -> Report:
    """Verifies the log and the notes of a space. Raises 404 for an unknown one, `VaultError` for a wrong key.

    `reached` hears from time to time up to which `seq` the log was read.
    """
    key = kernel.keys.of(space_id)
    return verify_database(kernel.database, space_id, key, kept, cold=kernel.cold, reached=reached)


def verify_database(
    database: Database,
    space_id: str,
    key: SpaceKey | None = None,
    kept: Iterable[Checkpoint] = (),
    *,
    cold: Cold | None = None,
    reached: Callable[[int], None] | None = None,
) -> Report:
    """The same on a bare database; without the key of the space the report says that the seal was not checked.

    Raises 503 while cold storage does not answer; a file of it that is missing or altered is a finding.
    """
    with database.read() as connection:
        head = _head(connection, space_id)
        notes = lru_cache(maxsize=_ETAGS_KEPT)(lambda etag: notes_of(connection, space_id, etag))
        index, nodes = IndexComparison(connection, space_id), NodeComparison(connection, space_id)
        stored = NoteComparison(_versions(connection, space_id))
        files = ColdComparison(cold or Cold(), connection, space_id)
        bundles = _told(chain(files.bundles(), _bundles(connection, space_id)), reached)
        return verify_log(
            space_id,
            nodes.heard(bundles),
            head,
            notes_of=notes,
            seal_of=None if key is None else lambda size, root: seal(key, size, root),
            hear=index.hear,
            comparison=Comparisons(stored, KeyComparison(connection, space_id), index, nodes, files),
            kept=kept,
        )


def _told(bundles: Iterator[Bundle], reached: Callable[[int], None] | None) -> Iterator[Bundle]:
    for bundle in bundles:
        if reached is not None:
            reached(bundle.first_seq)
        yield bundle


def _head(connection: Connection, space_id: str) -> LogHead:
    columns = (space_head.c.size, space_head.c.frontier, space_head.c.seal)
    row = connection.execute(select(*columns).where(space_head.c.space_id == space_id)).first()
    if row is None:
        raise not_found("space")
    return LogHead(row.size, bytes(row.frontier), bytes(row.seal))


def _stream(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    """Rows as they come: the driver must not gather a whole log first."""
    return iter(connection.execute(query.execution_options(yield_per=_ROWS_AHEAD)))


def _bundles(connection: Connection, space_id: str) -> Iterator[Bundle]:
    table = receipt_bundle.c
    query = select(table.first_seq, table.count, table.hashes, table.entries)
    query = query.where(table.space_id == space_id).order_by(table.first_seq)
    for first_seq, count, hashes, entries in _stream(connection, query):
        yield Bundle(first_seq, count, bytes(hashes), bytes(entries))


def _versions(connection: Connection, space_id: str) -> Iterator[Version]:
    importing = _importing(connection, space_id)
    for row in _stream(connection, _VERSIONS.where(note_version.c.space_id == space_id)):
        # Whatever the renderer column says: a line that is not the text's is not what the receipt vouches for.
        is_rendered = row.line == blocks.render_line(row.kind, row.title, row.body)
        place = Place(
            row.chain_id, row.version, row.seq_to, _is_named(row), row.status, row.source_id,
            row.source_id in importing,
        )  # fmt: skip
        yield Version(row.note_id, row.content_hash, _content_hash(row), is_rendered, row.seq_from, place)


def _importing(connection: Connection, space_id: str) -> frozenset[str]:
    """The agents into which an import is at work, or was when its process died."""
    query = select(job.c.payload).where(job.c.space_id == space_id, job.c.kind == "import")
    return frozenset(filter(None, map(_source_of, connection.scalars(query))))


def _source_of(payload: str) -> str | None:
    """None for a payload that an import did not write: it vouches for nothing, and the rest is still verified."""
    try:
        read = json.loads(payload)
    except ValueError:
        return None
    return str(read.get("source_id")) if isinstance(read, dict) else None


def _is_named(row: Any) -> bool:
    """Whether the chain says what it must when this version is its newest."""
    pool = {"space": 0, "vendor": row.vendor_pool}.get(row.visibility, row.agent_pool)
    said = (row.head_note_id, row.head_version, row.chain_until, row.pool)
    return said == (row.note_id, row.version, row.valid_until, pool)


def _content_hash(row: Any) -> str:
    """SHA-256 of the canonical JSON of the note's wire fields but `status`, and its salt.

    Written a second time here, from the stored columns, so that a fault where notes are written shows.
    """
    names = ("note_id", "source_id", "kind", "title", "body", "visibility", "origin", "version")
    fields = {name: getattr(row, name) for name in (*names, "supersedes_note_id", "created_by", "salt")}
    fields["tags"] = json.loads(row.tags)
    fields["evidence"] = None if row.evidence is None else json.loads(row.evidence)
    fields["valid_until"] = None if row.valid_until is None else rfc3339(row.valid_until)
    fields["created_at"] = rfc3339(row.created_at)
    return hashlib.sha256(canonical(fields)).hexdigest()
