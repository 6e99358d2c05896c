"""SQL of changing notes, inside a transaction: chains, versions, their words, their outcomes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import bindparam, delete, insert, select, update

from tarimba.notes import store
from tarimba.notes.model import Note, Prepared, Stored
from tarimba.storage import Tx
from tarimba.storage.tables import id_surrogate, note_chain, note_outcome, note_term, note_version

_NEW_CHAIN: Final = insert(note_chain)
_NEW_VERSION: Final = insert(note_version)
_NEW_TERMS: Final = insert(note_term)
_NEW_OUTCOME: Final = insert(note_outcome)
_NEW_SURROGATE: Final = insert(id_surrogate)
_THIS_CHAIN: Final = (note_chain.c.space_id == bindparam("of"), note_chain.c.chain_id == bindparam("chain"))
_MOVE_HEAD: Final = (
    update(note_chain)
    .where(*_THIS_CHAIN)
    .values(
        pool=bindparam("to_pool"),
        head_note_id=bindparam("to_note"),
        head_version=bindparam("to_version"),
        valid_until=bindparam("to_end"),
    )
)
_SET_STATUS: Final = update(note_chain).where(*_THIS_CHAIN).values(status=bindparam("to_status"))
_END_VERSION: Final = (
    update(note_version)
    .where(note_version.c.space_id == bindparam("of"), note_version.c.note_id == bindparam("note"))
    .values(seq_to=bindparam("seq"))
)
_COUNTED: Final = (note_outcome.c.space_id == bindparam("of"), note_outcome.c.note_id == bindparam("note"))
_OUTCOME: Final = select(note_outcome.c.helped, note_outcome.c.not_helped).where(*_COUNTED)
_COUNT_OUTCOME: Final = (
    update(note_outcome).where(*_COUNTED).values(helped=bindparam("yes"), not_helped=bindparam("no"))
)
_SURROGATE: Final = select(id_surrogate.c.surrogate).where(
    id_surrogate.c.space_id == bindparam("of"), id_surrogate.c.mac == bindparam("by_mac")
)


def add_chain(tx: Tx, note: Note, age: int, pool: int, status: str) -> None:
    """A chain whose first stored version is `note`, which also names it."""
    row = {
        "space_id": tx.space_id,
        "chain_id": note.note_id,
        "source_id": note.source_id,
        "age": age,
        "pool": pool,
        "head_note_id": note.note_id,
        "head_version": note.version,
        "status": status,
        "valid_until": note.valid_until,
    }
    tx.write(_NEW_CHAIN, [row])


def add_version(
    tx: Tx, note: Note, ready: Prepared, chain_id: str, bound: tuple[str, str], seqs: tuple[int, int | None]
) -> None:
    """A version; `bound` is its salt and content hash, `seqs` the receipts between which it was read."""
    row = {
        "space_id": tx.space_id,
        "note_id": note.note_id,
        "chain_id": chain_id,
        "version": note.version,
        "supersedes_note_id": note.supersedes_note_id,
        "kind": note.kind,
        "title": note.title,
        "body": note.body,
        "tags": json.dumps(note.tags),
        "visibility": note.visibility,
        "evidence": json.dumps(note.evidence.as_json()) if note.evidence else None,
        "origin": note.origin,
        "valid_until": note.valid_until,
        "created_at": note.created_at,
        "created_by": note.created_by,
        "seq_from": seqs[0],
        "seq_to": seqs[1],
        "salt": bound[0],
        "content_hash": bound[1],
        **_derived(ready),
    }
    tx.write(_NEW_VERSION, [row])


def _derived(ready: Prepared) -> dict[str, object]:
    return {
        "line": ready.line,
        "line_tokens": ready.line_tokens,
        "renderer": ready.renderer,
        "tokenizer": ready.tokenizer,
        "terms": store.packed(sorted(ready.terms)),
        "words": ready.words,
        "detectors": ready.detectors,
    }


def move_head(tx: Tx, chain_id: str, note: Note, pool: int) -> None:
    """Makes `note` the head of its chain, read by `pool`."""
    row = {
        "of": tx.space_id,
        "chain": chain_id,
        "to_pool": pool,
        "to_note": note.note_id,
        "to_version": note.version,
        "to_end": note.valid_until,
    }
    tx.write(_MOVE_HEAD, [row])


def set_status(tx: Tx, chain_id: str, status: str) -> None:
    tx.write(_SET_STATUS, [{"of": tx.space_id, "chain": chain_id, "to_status": status}])


def end_version(tx: Tx, note_id: str, seq: int) -> None:
    """From the receipt at `seq` on the version is read no more."""
    tx.write(_END_VERSION, [{"of": tx.space_id, "note": note_id, "seq": seq}])


def index(tx: Tx, space_no: int, terms: Mapping[int, int], place: tuple[int, int, int]) -> None:
    """Makes a head findable by its terms; `place` is its pool, age and version."""
    pool, age, version = place
    rows = [
        {"space_no": space_no, "term": term, "pool": pool, "age": age, "weight": weight, "version": version}
        for term, weight in sorted(terms.items())
    ]
    if rows:
        tx.write(_NEW_TERMS, rows)


def unindex(tx: Tx, space_no: int, head: Stored) -> None:
    """Takes a head out of the search. Its stored terms name the rows, so no other row is looked at."""
    terms = store.terms_of(tx.connection, tx.space_id, [head.note.note_id])[head.note.note_id]
    place = (note_term.c.space_no == space_no, note_term.c.pool == head.pool, note_term.c.age == head.age)
    tx.write(delete(note_term).where(*place, note_term.c.term.in_(terms)))


def take_out(tx: Tx, space_no: int, head: Stored) -> None:
    """From the next receipt on the note is read no more; it stays readable by id."""
    unindex(tx, space_no, head)
    end_version(tx, head.note.note_id, tx.next_seq)
    set_status(tx, head.chain_id, "retired")
    tx.changed()


def count_outcome(tx: Tx, note_id: str, *, helped: bool) -> None:
    """Counts that a version helped or did not."""
    row = tx.first(_OUTCOME, {"of": tx.space_id, "note": note_id})
    if row is None:
        new = {
            "space_id": tx.space_id,
            "note_id": note_id,
            "helped": int(helped),
            "not_helped": int(not helped),
        }
        tx.write(_NEW_OUTCOME, [new])
        return
    counts = {"yes": row.helped + helped, "no": row.not_helped + (not helped)}
    tx.write(_COUNT_OUTCOME, [{"of": tx.space_id, "note": note_id, **counts}])


def surrogate(tx: Tx, mac: str, new: str) -> str:
    """The surrogate of the id with this MAC; `new` becomes it when there is none yet."""
    known = tx.scalar(_SURROGATE, {"of": tx.space_id, "by_mac": mac})
    if known is not None:
        return str(known)
    tx.write(_NEW_SURROGATE, [{"space_id": tx.space_id, "mac": mac, "surrogate": new}])
    return new


def known_ids(tx: Tx, note_ids: Sequence[str]) -> frozenset[str]:
    """Which of these ids name a version of the space already."""
    query = select(note_version.c.note_id).where(
        note_version.c.space_id == tx.space_id, note_version.c.note_id.in_(note_ids)
    )
    return frozenset(row.note_id for row in tx.all(query))
