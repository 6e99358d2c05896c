"""Reading notes: one version, a chain, a list. Each leaves its receipt before it is answered.

While the memory is off people still see what is kept; an agent is given nothing by any door.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, select

from tarimba.errors import not_found
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.notes import rules, store
from tarimba.notes.desk import readable_pools
from tarimba.notes.model import Filter, Read, Stored
from tarimba.notes.wire import note_json
from tarimba.pages import read_cursor, write_cursor
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.storage.tables import note_outcome
from tarimba.vault import SpaceKey

# Above every age that a space can reach.
_NEWEST: Final = 2**62


def get(kernel: Kernel, principal: Principal, note_id: str) -> Read:
    """One version. Raises 404 for what does not exist and for what the caller may not know of: no difference."""
    allow(principal, "read_notes")
    with kernel.database.read() as connection:
        found = _readable(connection, principal, note_id)
    detail = {"content_hash": found.content_hash, "version": found.note.version}
    receipt = _leave(kernel, principal, "note.read", detail, found)
    return Read((found.note,), receipt)


def versions(kernel: Kernel, principal: Principal, note_id: str) -> Read:
    """The versions of a note that the caller reads, oldest first. `note_id` is any of them. Raises 404."""
    allow(principal, "read_notes")
    with kernel.database.read() as connection:
        found = _readable(connection, principal, note_id)
        chain = store.chain(connection, principal.space_id, found.chain_id)
    pools = readable_pools(principal)
    notes = tuple(stored.note for stored in chain if rules.may_read(pools, stored))
    detail = {"notes": [note.note_id for note in notes]}
    return Read(notes, _leave(kernel, principal, "note.versions", detail, found))


def is_altered(kernel: Kernel, principal: Principal, note_id: str) -> bool:
    """Whether the text of a version does not have its content hash any more. Raises 403 and 404.

    It leaves no receipt: it is asked of what `versions` has just given.
    """
    allow(principal, "read_notes")
    with kernel.database.read() as connection:
        found = _readable(connection, principal, note_id)
    return found.content_hash != rules.content_hash(note_json(found.note), found.salt)


def outcomes(kernel: Kernel, principal: Principal, note_id: str) -> tuple[int, int]:
    """How often a version helped, and how often it did not, as its readers told. Raises 403 and 404."""
    allow(principal, "read_notes")
    columns = note_outcome.c
    with kernel.database.read() as connection:
        _readable(connection, principal, note_id)
        mine = (columns.space_id == principal.space_id, columns.note_id == note_id)
        row = connection.execute(select(columns.helped, columns.not_helped).where(*mine)).first()
    return (0, 0) if row is None else (row.helped, row.not_helped)


def list_notes(
    kernel: Kernel, principal: Principal, wanted: Filter, *, cursor: str | None = None, limit: int = 20
) -> Read:
    """A page of heads, newest first by when their chains began: stable, since that never changes.

    Raises 403, and 422 for a cursor that is not of this list.
    """
    allow(principal, "read_notes")
    key = kernel.keys.of(principal.space_id)
    scope = json.dumps(["notes", principal.kind, principal.id, asdict(wanted)], sort_keys=True)
    before = _NEWEST if cursor is None else read_cursor(key, scope, cursor)
    pools = readable_pools(principal)
    with kernel.database.read() as connection:
        found: Sequence[Stored] = ()
        if _is_given(connection, principal) and (wanted.source_id is None or is_id(wanted.source_id)):
            sees = None if pools is None else sorted(pools)
            found = store.heads(connection, principal.space_id, wanted, sees, before, limit + 1)
    page = found[:limit]
    after = write_cursor(key, scope, page[-1].age) if len(found) > limit else None
    notes = tuple(stored.note for stored in page)
    detail = {"notes": [note.note_id for note in notes], "limit": limit, **_asked(key, wanted)}
    return Read(notes, _leave(kernel, principal, "notes.list", detail), after)


def _readable(connection: Connection, principal: Principal, note_id: str) -> Stored:
    found = None
    if is_id(note_id) and _is_given(connection, principal):
        found = store.version(connection, principal.space_id, note_id)
    if found is None or not rules.may_read(readable_pools(principal), found):
        raise not_found("note")
    return found


def _is_given(connection: Connection, principal: Principal) -> bool:
    return principal.kind != "agent" or space_settings.load(connection, principal.space_id).enabled


def _asked(key: SpaceKey, wanted: Filter) -> dict[str, str]:
    """The filter as a receipt may hold it: codes and ids of ours as they are, a tag as a commitment."""
    ours = {"status": wanted.status, "visibility": wanted.visibility, "note_kind": wanted.kind}
    asked = {name: value for name, value in ours.items() if value is not None}
    if wanted.source_id is not None:
        asked["source"] = key.commit(wanted.source_id)
    return asked | {"tag": key.commit(wanted.tag)} if wanted.tag is not None else asked


def _leave(
    kernel: Kernel,
    principal: Principal,
    action: str,
    detail: Mapping[str, Any],
    about: Stored | None = None,
) -> Recorded:
    objects = {}
    if about is not None:
        objects = {"note_id": about.note.note_id, "source_id": about.owner.source_id}
    receipt = Receipt(
        action=action,
        actor=principal.actor,
        via=principal.via,
        agent=principal.source_id or objects.get("source_id"),
        objects=objects,
        detail=detail,
    )
    return record_read(kernel.writer, principal.space_id, receipt)
