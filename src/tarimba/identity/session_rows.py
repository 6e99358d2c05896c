"""Whether a session that is stored still stands: asked by whoever finds one, and again under the lock."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Row

from tarimba.clock import HOUR
from tarimba.identity import session_store as store
from tarimba.identity.model import Principal
from tarimba.identity.store import roles_of

IDLE: Final = 12 * HOUR


def still_open(connection: Connection, principal: Principal, now: int) -> bool:
    """Whether the session that a principal came by still stands, with the same roles."""
    row = store.session_row(connection, principal.key_id or "")
    if row is None or not is_open(row, now):
        return False
    return roles_of(connection, principal.space_id, principal.id) == principal.roles


def is_open(row: Row[Any], now: int) -> bool:
    in_force = row.ended_at is None and row.disabled_at is None
    return bool(in_force and now < row.expires_at and now - row.seen_at < IDLE)
