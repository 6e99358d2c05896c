"""Coming in: by address and password, with a code of a second factor where the person has one, or by a link.

Passwords are hashed outside of every lock. Whatever is wrong, the answer is the same and takes as long.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from sqlalchemy import Row

from tarimba.clock import SECOND
from tarimba.errors import Refusal
from tarimba.identity import passwords, second_factor
from tarimba.identity import session_store as store
from tarimba.identity.changes import leave
from tarimba.identity.model import Principal
from tarimba.identity.sessions import Entered, Proof, begin, person_principal
from tarimba.identity.store import roles_of
from tarimba.identity.throttle import Attempt
from tarimba.kernel import Kernel
from tarimba.storage import Tx
from tarimba.vault import VaultError

_PENDING: Final = "sign-in.pending"
_PENDING_FOR: Final = 300 * SECOND
EMAIL_MAX: Final = 320


@dataclass(frozen=True, slots=True)
class CodeWanted:
    """The password is right; a code is wanted too. `pending` says so for five minutes, to this server alone."""

    pending: str


@dataclass(frozen=True, slots=True)
class SpaceWanted:
    """One address and password open several spaces: (slug, name) of each."""

    spaces: tuple[tuple[str, str], ...]


def sign_in(
    kernel: Kernel, email: str, password: str, *, client: str, space: str = ""
) -> Entered | CodeWanted | SpaceWanted:
    """Raises 401 for a wrong address or password, which it is is not told, and 429 after too many."""
    attempt = Attempt(kernel, email[:EMAIL_MAX], client)
    attempt.begin()
    with kernel.database.read() as connection:
        found = store.by_email(connection, email.strip().lower()[:EMAIL_MAX])
    found = [row for row in found if space in {"", row.space_slug}]
    opened = [row for row in found if row.password and passwords.matches(row.password, password)]
    if not opened:
        if not any(row.password for row in found):
            passwords.matches(None, password)
        raise wrong()
    attempt.succeeded()
    if len(opened) > 1:
        return SpaceWanted(tuple((row.space_slug, row.space_name) for row in opened))
    if opened[0].totp_since is not None:
        return code_wanted(kernel, opened[0], "password")
    return come_in(kernel, opened[0], "password")


def confirm(kernel: Kernel, pending: str, code: str, *, client: str) -> Entered:
    """The second step. Raises 401 for a wrong, used or old code, and for a first step too long ago; 429."""
    space_id, person_id, proof, binding = _unsealed(kernel, pending)
    attempt = Attempt(kernel, f"{space_id} {person_id}", client)
    attempt.begin()
    with kernel.database.read() as connection:
        row = store.by_id(connection, space_id, person_id)
    step = None if row is None else second_factor.step_of(kernel, row, code)
    if row is None or step is None:
        raise Refusal("unauthenticated", "The code is not right, or no longer. Wait for the next one.")
    entered = come_in(kernel, row, proof, step=step, binding=binding)
    attempt.succeeded()
    return entered


def code_wanted(kernel: Kernel, row: Row[Any], proof: Proof, binding: str = "") -> CodeWanted:
    """The first step is done by `proof`; the person of the row has a second factor."""
    until = kernel.clock.now_us() + _PENDING_FOR
    said = json.dumps([row.space_id, row.person_id, proof, binding, until]).encode()
    return CodeWanted(base64.urlsafe_b64encode(kernel.vault.wrap(said, _PENDING)).decode())


def come_in(
    kernel: Kernel, row: Row[Any], proof: Proof, *, step: int | None = None, binding: str = ""
) -> Entered:
    """A session for the person of the row, if they still are in force; `binding` binds them. Raises 401."""

    def work(tx: Tx) -> Entered:
        person = store.by_id(tx.connection, tx.space_id, row.person_id)
        if person is None or (step is not None and person.totp_step >= step):
            raise wrong()
        if step is not None:
            store.put_secret(tx, row.person_id, {"totp_step": step})
        who = person_principal(person, roles_of(tx.connection, tx.space_id, row.person_id))
        if binding:
            _bind(tx, who, person, binding)
        return begin(tx, who, row.person_id, proof, kernel.clock.now_us(), has_code=step is not None)

    return kernel.writer.commit(row.space_id, work)


def _bind(tx: Tx, who: Principal, person: Row[Any], binding: str) -> None:
    """Under the lock: the first subject stays. Raises 401 for another one, and for one that somebody else has."""
    if person.oidc == binding:
        return
    others = [row for row in store.by_binding(tx.connection, binding) if row.space_id == tx.space_id]
    if person.oidc is not None or others:
        raise other_subject()
    store.put_secret(tx, person.person_id, {"oidc": binding})
    detail = {"change": "provider-bound"}
    leave(tx, who, "person.change", {"person_id": person.person_id}, detail)


def other_subject() -> Refusal:
    """401: the address is right, and it is not the account of the provider that came in before."""
    return Refusal(
        "unauthenticated",
        "Another account of the sign-in provider came in here before. Ask who runs the server.",
    )


def wrong() -> Refusal:
    """401: nobody learns which of them was wrong."""
    return Refusal("unauthenticated", "The address or the password is not right.")


def _unsealed(kernel: Kernel, pending: str) -> tuple[str, str, Proof, str]:
    try:
        said = kernel.vault.unwrap(base64.urlsafe_b64decode(pending.encode()), _PENDING)
    except (VaultError, InvalidTag, ValueError):
        raise too_late() from None
    space_id, person_id, proof, binding, until = json.loads(said)
    if kernel.clock.now_us() >= until:
        raise too_late()
    return space_id, person_id, proof, binding


def too_late() -> Refusal:
    """401: between two steps of signing in passed too much time, or another browser took the second."""
    return Refusal("unauthenticated", "That took too long. Sign in again.")
