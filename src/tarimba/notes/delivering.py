"""Note versions as they were delivered: many at once, by their ids, for who looks back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam

from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.notes import rules, store
from tarimba.notes.desk import readable_pools
from tarimba.notes.model import Note
from tarimba.notes.wire import note_json
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record_read
from tarimba.storage.tables import note_version

DELIVERED_MAX: Final = 200
_MANY: Final = store.STORED.add_columns(note_version.c.seq_from).where(
    note_version.c.note_id.in_(bindparam("ids", expanding=True))
)


@dataclass(frozen=True, slots=True)
class Delivered:
    """A version, the hash of its present text (what a receipt must name), and its place in the log."""

    note: Note
    content_hash: str
    seq_from: int


def delivered(kernel: Kernel, principal: Principal, note_ids: Sequence[str]) -> Mapping[str, Delivered]:
    """The first 200 of these versions that are kept and that the caller reads, by id. Raises 403."""
    allow(principal, "read_notes")
    pools = readable_pools(principal)
    asked = {"space_id": principal.space_id, "ids": list(note_ids[:DELIVERED_MAX])}
    found = {}
    with kernel.database.read() as connection:
        for row in connection.execute(_MANY, asked):
            stored = store.stored(row)
            if rules.may_read(pools, stored):
                bound = rules.content_hash(note_json(stored.note), stored.salt)
                found[stored.note.note_id] = Delivered(stored.note, bound, row.seq_from)
    detail = {"notes": sorted(found), "limit": len(asked["ids"])}
    receipt = Receipt("notes.list", principal.actor, principal.via, principal.source_id, detail=detail)
    record_read(kernel.writer, principal.space_id, receipt)
    return found
