"""Storing a version of a note, whoever wrote or decided it: the first of a chain, or the next head.

Caps, receipts and events are the caller's; the receipt that it appends next is the one that vouches for the version.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from tarimba.ids import new_id
from tarimba.notes import changes, rules
from tarimba.notes.model import Evidence, Note, Owner, Prepared, Stored
from tarimba.notes.wire import note_json
from tarimba.storage import Tx


@dataclass(frozen=True, slots=True)
class Author:
    """Who stands behind a version, in which space (by its number), and where the text came from."""

    space_no: int
    created_by: str
    origin: str


@dataclass(frozen=True, slots=True)
class Added:
    """A version that was stored, and its content hash."""

    note: Note
    content_hash: str


def begin(tx: Tx, author: Author, owner: Owner, ready: Prepared, evidence: Evidence | None) -> Added:
    """A new note. `evidence` holds surrogates already where it must."""
    note = _note(tx, author, owner, ready, evidence, None)
    pool = owner.pool(note.visibility)
    age = tx.next_ordinal()
    changes.add_chain(tx, note, age, pool, "active")
    added = _add(tx, note, ready, note.note_id)
    changes.index(tx, author.space_no, ready.terms, (pool, age, note.version))
    tx.changed()
    return added


def supersede(tx: Tx, author: Author, old: Stored, ready: Prepared) -> Added:
    """The next version of the note whose active head is `old`."""
    note = _note(tx, author, old.owner, ready, old.note.evidence, old.note)
    pool = old.owner.pool(note.visibility)
    changes.unindex(tx, author.space_no, old)
    changes.end_version(tx, old.note.note_id, tx.next_seq)
    added = _add(tx, note, ready, old.chain_id)
    changes.move_head(tx, old.chain_id, note, pool)
    changes.index(tx, author.space_no, ready.terms, (pool, old.age, note.version))
    tx.changed()
    return added


def _note(
    tx: Tx, author: Author, owner: Owner, ready: Prepared, evidence: Evidence | None, old: Note | None
) -> Note:
    draft = ready.draft
    return Note(
        note_id=new_id(),
        source_id=owner.source_id,
        kind=draft.kind,
        title=draft.title,
        body=draft.body,
        tags=draft.tags,
        visibility=draft.visibility,
        evidence=evidence,
        origin=author.origin,
        version=old.version + 1 if old else 1,
        supersedes_note_id=old.note_id if old else None,
        status="active",
        valid_until=draft.valid_until,
        created_at=tx.now,
        created_by=author.created_by,
    )


def _add(tx: Tx, note: Note, ready: Prepared, chain_id: str) -> Added:
    salt = os.urandom(16).hex()
    bound = rules.content_hash(note_json(note), salt)
    changes.add_version(tx, note, ready, chain_id, (salt, bound), (tx.next_seq, None))
    return Added(note, bound)
