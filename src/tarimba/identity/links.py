"""One-time links: how somebody comes in who has no password yet, or forgot it, and how the first owner does.

Opening a link shows a form and spends nothing, since programs that show a preview of a message open links; the form
that is sent spends it.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from typing import Any, Final

from tarimba.clock import DAY
from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity import passwords, people_store, second_factor
from tarimba.identity import session_store as store
from tarimba.identity.changes import leave
from tarimba.identity.declare import apply
from tarimba.identity.manifest import Manifest
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.identity.sessions import Entered, begin, person_principal
from tarimba.identity.settled import is_settled
from tarimba.identity.store import roles_of
from tarimba.identity.throttle import Attempt
from tarimba.ids import digest, new_secret, new_token_id
from tarimba.kernel import Kernel
from tarimba.spaces import has_spaces
from tarimba.storage import Tx

LINK_FOR: Final = DAY
_FACTOR_OFF: Final = {"totp": None, "totp_since": None, "totp_step": 0}
_FIRST: Final = "first_owner_link"
_NOBODY: Final = "The link was used, is too old, or was never one. Ask for a new one."


@dataclass(frozen=True, slots=True)
class Invited:
    """Whom a link is for."""

    space_id: str
    space_name: str
    person_id: str
    name: str
    email: str
    language: str
    has_password: bool


@dataclass(frozen=True, slots=True)
class Founding:
    """What the first owner says: a company, and themselves."""

    space: str
    slug: str
    language: str
    name: str
    email: str
    password: str


def first_link(kernel: Kernel) -> str | None:
    """The secret of a new link by which the first owner founds a space; None when there is a space already."""
    if has_spaces(kernel.database):
        return None
    secret = new_secret()
    kept = json.dumps({"digest": digest(secret), "until": kernel.clock.now_us() + LINK_FOR})
    with kernel.database.write() as connection:
        store.put_note_of_installation(connection, _FIRST, kept)
    return secret


def is_first(kernel: Kernel, secret: str) -> bool:
    """Whether the secret would found the first space now."""
    return _first_kept(kernel, secret) is not None and not has_spaces(kernel.database)


def found(kernel: Kernel, secret: str, new: Founding) -> Entered:
    """The first space, with its owner signed in. Spends the link. Raises 404 for a link that is none, 422."""
    kept = _first_kept(kernel, secret)
    if kept is None or has_spaces(kernel.database):
        raise Refusal("not_found", _NOBODY)
    passwords.checked(new.password, about=(new.email, new.name, new.space, new.slug))
    stored = passwords.hashed(new.password)
    manifest = _manifest(new)
    with kernel.database.write() as connection:
        if not store.take_note_of_installation(connection, _FIRST, kept):
            raise Refusal("not_found", _NOBODY)
    made = apply(kernel, manifest)
    entered = _entered(kernel, made.space_id, next(iter(made.people.values())), stored, link_id=None)
    assert entered is not None
    return entered


def make_link(
    kernel: Kernel,
    principal: Principal,
    person_id: str,
    *,
    drops_factor: bool = False,
    drops_provider: bool = False,
) -> str:
    """The secret of a new link for a person, in the place of one that they had. `drops_factor` is the host's alone.

    Somebody settled gets a link from the host alone: else an owner could come in as anybody. `drops_provider`, the
    host's too: the next sign-in by the provider binds anew. Raises 403, 404, 409.
    """
    allow(principal, "people")
    if (drops_factor or drops_provider) and principal.kind != "host":
        raise Refusal("scope_missing", "Only the host takes a second factor away: `tarimba person link`.")
    link_id, secret = new_token_id(), new_secret()
    token = f"{link_id}.{secret}"

    def work(tx: Tx) -> None:
        recheck(tx, principal)
        _require_open(tx, principal, person_id)
        dropped = dict(_FACTOR_OFF) if drops_factor else {}
        dropped |= {"oidc": None} if drops_provider else {}
        if dropped:
            store.put_secret(tx, person_id, dropped)
        now, by_host = kernel.clock.now_us(), int(principal.kind == "host")
        values = {"link_id": link_id, "person_id": person_id, "digest": digest(token), "by_host": by_host}
        store.add_link(tx, values | {"created_at": now, "expires_at": now + LINK_FOR})
        detail = {"change": "link", "drops_second_factor": drops_factor, "drops_provider": drops_provider}
        leave(tx, principal, "person.token", {"person_id": person_id, "link_id": link_id}, detail)

    kernel.writer.commit(principal.space_id, work)
    return token


def _require_open(tx: Tx, principal: Principal, person_id: str) -> None:
    person = people_store.person_by_id(tx.connection, tx.space_id, person_id)
    if person is None:
        raise not_found("person")
    if person.disabled_at is not None:
        raise Refusal("conflict", "This person is disabled and gets no link.")
    if principal.kind != "host" and is_settled(tx.connection, tx.space_id, person_id):
        raise Refusal(
            "conflict",
            "This person came in before, or has something of their own: the host makes the link: "
            "`tarimba person link`.",
        )


def invited(kernel: Kernel, token: str) -> Invited:
    """Whom a link is for; spends nothing. Raises 404 for one that opens nothing."""
    row = _link(kernel, token)
    with kernel.database.read() as connection:
        person = store.by_id(connection, row.space_id, row.person_id)
    if person is None:
        raise Refusal("not_found", _NOBODY)
    return Invited(
        person.space_id,
        person.space_name,
        person.person_id,
        person.name,
        person.email,
        person.person_language,
        bool(person.password),
    )


def enter(kernel: Kernel, token: str, password: str | None) -> Entered | None:
    """Comes in by a link, which is spent, and sets a password where one is given. Every other session ends then.

    None when the person has a second factor: they sign in with its code. Raises 404, 422.
    """
    row, who = _link(kernel, token), invited(kernel, token)
    stored = None
    if password is None and not who.has_password:
        raise invalid("password", "is needed")
    if password is not None:
        passwords.checked(password, about=(who.email, who.name, who.space_name))
        stored = passwords.hashed(password)
    return _entered(kernel, row.space_id, row.person_id, stored, link_id=row.link_id)


def change_password(
    kernel: Kernel, principal: Principal, old: str, new: str, *, client: str, code: str = ""
) -> None:
    """One's own. Every other session ends. Who has a second factor and no password yet says a code.

    Raises 422 for a wrong old one or code, and 429 after too many of them.
    """
    attempt = Attempt(kernel, f"{principal.space_id} {principal.id}", client)
    attempt.begin()
    with kernel.database.read() as connection:
        row = store.by_id(connection, principal.space_id, principal.id)
    if row is None or (row.password and not passwords.matches(row.password, old)):
        raise invalid("old", "is not your password")
    step = None
    if row.totp_since is not None and not row.password:
        # Else whoever has the session could set one, and turn the second factor off by it.
        step = second_factor.step_of(kernel, row, code)
        if step is None:
            raise invalid("code", "is not the one that the app shows now")
    attempt.succeeded()
    passwords.checked(new, about=(row.email, row.name, row.space_name))
    stored = passwords.hashed(new)

    def work(tx: Tx) -> None:
        recheck(tx, principal)
        used = {} if step is None else {"totp_step": step}
        store.put_secret(tx, principal.id, {"password": stored, **used})
        store.end_sessions(tx, principal.id, kernel.clock.now_us(), but=principal.key_id or "")
        leave(tx, principal, "person.change", {"person_id": principal.id}, {"change": "password"})

    kernel.writer.commit(principal.space_id, work)


def _entered(
    kernel: Kernel, space_id: str, person_id: str, stored: str | None, *, link_id: str | None
) -> Entered | None:
    def work(tx: Tx) -> Entered | None:
        now = kernel.clock.now_us()
        person = store.by_id(tx.connection, tx.space_id, person_id)
        if person is None or (link_id is not None and not _spends(tx, person_id, link_id, now)):
            raise Refusal("not_found", _NOBODY)
        who = person_principal(person, roles_of(tx.connection, tx.space_id, person_id))
        if stored is not None:
            store.put_secret(tx, person_id, {"password": stored})
            store.end_sessions(tx, person_id, now)
            leave(tx, who, "person.change", {"person_id": person_id}, {"change": "password"})
        if person.totp_since is not None:
            leave(tx, who, "login", {"person_id": person_id}, {"change": "link-spent"})
            return None
        return begin(tx, who, person_id, "link", now, has_code=False)

    return kernel.writer.commit(space_id, work)


def _spends(tx: Tx, person_id: str, link_id: str, now: int) -> bool:
    """Spends a link. One that the host did not make opens nothing once its person is settled."""
    row = store.link_row(tx.connection, link_id)
    if row is None or not (row.by_host or not is_settled(tx.connection, tx.space_id, person_id)):
        return False
    return store.spend_link(tx, link_id, now)


def _link(kernel: Kernel, token: str) -> Any:
    link_id, _, _ = token.partition(".")
    with kernel.database.read() as connection:
        row = store.link_row(connection, link_id)
    if row is None or not hmac.compare_digest(row.digest, digest(token)):
        raise Refusal("not_found", _NOBODY)
    if row.spent_at is not None or kernel.clock.now_us() >= row.expires_at:
        raise Refusal("not_found", _NOBODY)
    return row


def _first_kept(kernel: Kernel, secret: str) -> str | None:
    with kernel.database.read() as connection:
        kept = store.note_of_installation(connection, _FIRST)
    if kept is None:
        return None
    said = json.loads(kept)
    is_it = hmac.compare_digest(said["digest"], digest(secret)) and kernel.clock.now_us() < said["until"]
    return kept if is_it else None


def _manifest(new: Founding) -> Manifest:
    """As the file of a space that holds its owner alone: one way in, with one set of rules."""
    said = {name: json.dumps(value, ensure_ascii=False) for name, value in _words(new).items()}
    return Manifest.parse(
        "[space]\nslug = {slug}\nname = {space}\nlanguage = {language}\n"
        '[[person]]\nslug = "owner"\nname = {name}\nemail = {email}\nlanguage = {language}\nroles = ["owner"]\n'.format(
            **said
        )
    )


def _words(new: Founding) -> dict[str, str]:
    return {
        "slug": new.slug,
        "space": new.space,
        "language": new.language,
        "name": new.name,
        "email": new.email,
    }
