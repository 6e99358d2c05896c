"""Telling who asks, and telling it again under the lock."""

from __future__ import annotations

from sqlalchemy import Connection

from tarimba.errors import Refusal
from tarimba.identity import session_rows, store
from tarimba.identity.model import Principal
from tarimba.identity.seat_store import is_working
from tarimba.identity.tokens import Bearer, parse
from tarimba.kernel import Kernel
from tarimba.receipts.model import Via
from tarimba.storage import Tx


def authenticate(kernel: Kernel, bearer: str, via: Via) -> Principal:
    """The caller behind a bearer string. Raises 401 `unauthenticated`: the same words whatever is wrong."""
    taken = parse(bearer)
    if taken is None:
        raise unauthenticated()
    with kernel.database.read() as connection:
        principal = _find(connection, taken, via)
    if principal is None or _is_past(principal, kernel.clock.now_us()):
        raise unauthenticated()
    return principal


def unauthenticated() -> Refusal:
    """401, without a word about what is wrong with the key."""
    return Refusal("unauthenticated", "Send `Authorization: Bearer` with a key or token that is in force.")


def recheck(tx: Tx, principal: Principal) -> None:
    """Under the lock: the caller may still act. Costs nothing while the space's generation is the same."""
    if principal.kind == "host":
        return
    if _is_past(principal, tx.now) or (tx.generation != principal.generation and not _is_same(tx, principal)):
        raise unauthenticated()


def _find(connection: Connection, taken: Bearer, via: Via) -> Principal | None:
    if taken.kind == "key":
        row = store.key_row(connection, taken.id)
        if row is None or not taken.matches(row.digest) or row.revoked_at is not None:
            return None
        return store.key_principal(row, via)
    row = store.token_row(connection, taken.id)
    if row is None or not taken.matches(row.digest):
        return None
    if row.revoked_at is not None or row.disabled_at is not None:
        return None
    return store.token_principal(row, store.roles_of(connection, row.space_id, row.person_id), via)


def _is_past(principal: Principal, now: int) -> bool:
    return principal.expires_at is not None and principal.expires_at <= now


def _is_same(tx: Tx, principal: Principal) -> bool:
    """Whether the key or token still stands with the same scopes or roles."""
    connection = tx.connection
    if principal.kind == "workspace":
        return is_working(connection, principal)
    assert principal.key_id is not None
    if principal.kind == "person" and principal.via == "console":
        return session_rows.still_open(connection, principal, tx.now)
    if principal.kind == "person":
        row = store.token_row(connection, principal.key_id)
        in_force = row is not None and row.revoked_at is None and row.disabled_at is None
        return in_force and store.roles_of(connection, principal.space_id, principal.id) == principal.roles
    row = store.key_row(connection, principal.key_id)
    return row is not None and row.revoked_at is None and frozenset(row.scopes.split()) == principal.scopes
