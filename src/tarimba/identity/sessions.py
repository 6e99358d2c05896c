"""Sessions of the Console: begun by whoever proved to be a person, kept on the server, ended by them or by time."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from sqlalchemy import Row

from tarimba.clock import DAY, SECOND
from tarimba.errors import not_found
from tarimba.identity import session_store as store
from tarimba.identity.changes import leave
from tarimba.identity.model import Principal
from tarimba.identity.session_rows import IDLE, is_open
from tarimba.identity.store import roles_of
from tarimba.ids import digest, new_id, new_secret
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx

WHOLE: Final = 14 * DAY
_SEEN_EVERY: Final = 300 * SECOND
# Ended sessions are kept so long beyond their time, for who asks what happened.
_KEPT: Final = 30 * DAY
Proof = Literal["password", "link", "oidc"]


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in, as the Console shows them."""

    person_id: str
    slug: str
    name: str
    email: str
    language: str


@dataclass(frozen=True, slots=True)
class Session:
    """An open session. `form_key` is what tokens of forms are made from: it never leaves the server as it is."""

    session_id: str
    principal: Principal
    person: Person
    space_slug: str
    space_name: str
    form_key: str


@dataclass(frozen=True, slots=True)
class Entered:
    """Somebody came in: the value of their cookie, and the receipt."""

    cookie: str
    space_id: str
    person_id: str
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Times are microseconds."""

    session_id: str
    created_at: int
    seen_at: int


def begin(tx: Tx, by: Principal, person_id: str, proof: Proof, now: int, *, has_code: bool) -> Entered:
    """A new session of a person who proved themselves. The cookie's value is stored only as a digest."""
    session_id, secret = new_id(), new_secret()
    cookie = f"{session_id}.{secret}"
    values = {"session_id": session_id, "person_id": person_id, "digest": digest(cookie)}
    times = {"created_at": now, "seen_at": now, "expires_at": now + WHOLE}
    store.add_session(tx, values | times)
    store.tidy(tx, now - _KEPT)
    objects = {"person_id": person_id, "session_id": session_id}
    receipt = leave(tx, by, "login", objects, {"proof": proof, "second_factor": has_code})
    return Entered(cookie, tx.space_id, person_id, receipt)


def find(kernel: Kernel, cookie: str) -> Session | None:
    """The session of a cookie while it is open and its person in force; it counts as used."""
    session_id, _, _ = cookie.partition(".")
    now = kernel.clock.now_us()
    with kernel.database.read() as connection:
        row = store.session_row(connection, session_id)
        if row is None or not hmac.compare_digest(row.digest, digest(cookie)) or not is_open(row, now):
            return None
        principal = _principal(row, roles_of(connection, row.space_id, row.person_id))
    if not 0 <= now - row.seen_at < _SEEN_EVERY:
        with kernel.database.write() as connection:
            store.seen(connection, session_id, now)
    person = Person(row.person_id, row.slug, row.name, row.email, row.person_language)
    return Session(session_id, principal, person, row.space_slug, row.space_name, digest(f"form\0{cookie}"))


def open_sessions(kernel: Kernel, principal: Principal) -> list[OpenSession]:
    """One's own, the one last used first."""
    now = kernel.clock.now_us()
    with kernel.database.read() as connection:
        rows = store.sessions_of(connection, principal.space_id, principal.id, now)
    return [
        OpenSession(row.session_id, row.created_at, row.seen_at) for row in rows if now - row.seen_at < IDLE
    ]


def sign_out(kernel: Kernel, principal: Principal, session_id: str) -> Recorded:
    """Ends one of one's own sessions, or all others where none is named. Raises 404."""

    def work(tx: Tx) -> Recorded:
        now = kernel.clock.now_us()
        if session_id:
            count = store.end_sessions(tx, principal.id, now, only=session_id)
        else:
            count = store.end_sessions(tx, principal.id, now, but=principal.key_id or "")
        if session_id and not count:
            raise not_found("session")
        detail = {"change": "sign-out", "count": count}
        return leave(tx, principal, "login", {"person_id": principal.id}, detail)

    return kernel.writer.commit(principal.space_id, work)


def person_principal(row: Row[Any], roles: frozenset[str]) -> Principal:
    """Somebody who is about to come in, acting for themselves."""
    return Principal(
        kind="person",
        space_id=row.space_id,
        space_no=row.space_no,
        id=row.person_id,
        via="console",
        language=row.language,
        environment=row.environment,
        generation=row.generation,
        roles=roles,
    )


def _principal(row: Row[Any], roles: frozenset[str]) -> Principal:
    return replace(person_principal(row, roles), key_id=row.session_id, expires_at=row.expires_at)
