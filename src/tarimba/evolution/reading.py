"""Reading drafts: one, or a list. They hold nothing of customers and no note, so that no receipt is left."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Final

from tarimba.errors import not_found
from tarimba.evolution import store
from tarimba.evolution.model import Draft, DraftFilter, DraftsPage
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor

# Above every ordinal that a space can reach.
_NEWEST: Final = 2**62


def read(kernel: Kernel, principal: Principal, draft_id: str) -> Draft:
    """One draft in whatever state. Raises 403 and 404."""
    allow(principal, "evolution")
    return found(kernel, principal.space_id, draft_id)


def found(kernel: Kernel, space_id: str, draft_id: str) -> Draft:
    """One draft. Raises 404."""
    if is_id(draft_id):
        with kernel.database.read() as connection:
            draft = store.find(connection, space_id, draft_id)
        if draft is not None:
            return draft
    raise not_found("draft")


def list_drafts(
    kernel: Kernel, principal: Principal, wanted: DraftFilter, *, cursor: str | None = None, limit: int = 20
) -> DraftsPage:
    """A page of drafts, newest first. Raises 403, and 422 for a cursor that is not of this list."""
    allow(principal, "evolution")
    key = kernel.keys.of(principal.space_id)
    scope = json.dumps(["skill-drafts", principal.kind, principal.id, asdict(wanted)], sort_keys=True)
    before = _NEWEST if cursor is None else read_cursor(key, scope, cursor)
    with kernel.database.read() as connection:
        rows = store.newest(connection, principal.space_id, wanted, before, limit + 1)
    page = tuple(rows[:limit])
    following = write_cursor(key, scope, page[-1].ordinal) if len(rows) > limit else None
    return DraftsPage(page, following)
