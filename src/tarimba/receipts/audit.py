"""Feeds the verifier from the database: one snapshot of the log, its head and the stored notes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Select, and_, select

from tarimba.blocks import rules as blocks
from tarimba.clock import rfc3339
from tarimba.errors import not_found
from tarimba.kernel import Kernel
from tarimba.receipts.canonical import canonical
from tarimba.receipts.reading import notes_of
from tarimba.receipts.seal import seal
from tarimba.receipts.verify import Bundle, Checkpoint, LogHead, Report, verify_log
from tarimba.receipts.witness import NoteWitness, Version
from tarimba.storage import Database
from tarimba.storage.tables import note_chain, note_version, receipt_bundle, space_head
from tarimba.vault import SpaceKey

_ROWS_AHEAD = 64
_ETAGS_KEPT = 4096


def verify_space(kernel: Kernel, space_id: str, kept: Iterable[Checkpoint] = ()) -> Report:
    """Verifies the log and the notes of a space. Raises 404 for an unknown one, `VaultError` for a wrong key."""
    return verify_database(kernel.database, space_id, kernel.keys.of(space_id), kept)


def verify_database(
    database: Database, space_id: str, key: SpaceKey | None = None, kept: Iterable[Checkpoint] = ()
) -> Report:
    """The same on a bare database; without the key of the space the report says that the seal was not checked."""
    with database.read() as connection:
        head = _head(connection, space_id)
        notes = lru_cache(maxsize=_ETAGS_KEPT)(lambda etag: notes_of(connection, space_id, etag))
        return verify_log(
            space_id,
            _bundles(connection, space_id),
            head,
            notes_of=notes,
            seal_of=None if key is None else lambda size, root: seal(key, size, root),
            witness=NoteWitness(_versions(connection, space_id)),
            kept=kept,
        )


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
    same_chain = and_(
        note_chain.c.space_id == note_version.c.space_id, note_chain.c.chain_id == note_version.c.chain_id
    )
    query = select(note_version, note_chain.c.source_id).join(note_chain, same_chain)
    for row in _stream(connection, query.where(note_version.c.space_id == space_id)):
        is_rendered = row.renderer != blocks.RENDERER or row.line == blocks.render_line(
            row.kind, row.title, row.body
        )
        yield Version(row.note_id, row.content_hash, _content_hash(row), is_rendered, row.seq_from)


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
