"""The second factor: codes of six digits that change every thirty seconds.

Source: RFC 6238 (TOTP), with the defaults that authenticator apps know: SHA-1, six digits, thirty seconds.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row

from tarimba.clock import SECOND
from tarimba.errors import Refusal, invalid
from tarimba.identity import passwords
from tarimba.identity import session_store as store
from tarimba.identity.changes import leave
from tarimba.identity.model import Principal
from tarimba.identity.service import recheck
from tarimba.identity.throttle import Attempt
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded
from tarimba.spaces import seed_label
from tarimba.storage import Tx

STEP_SECONDS: Final = 30
# A clock may be half a minute off.
_AROUND: Final = (0, -1, 1)


@dataclass(frozen=True, slots=True)
class Enrolment:
    """What an authenticator app is told: the seed in base 32, and the address that holds it."""

    seed: str
    address: str


def is_on(kernel: Kernel, principal: Principal) -> bool:
    """Whether the person is asked for codes."""
    with kernel.database.read() as connection:
        row = store.by_id(connection, principal.space_id, principal.id)
    return row is not None and row.totp_since is not None


def has_password(kernel: Kernel, principal: Principal) -> bool:
    """Whether the person has a password, by which they turn the second factor off; else they do by a code."""
    with kernel.database.read() as connection:
        row = store.by_id(connection, principal.space_id, principal.id)
    return row is not None and bool(row.password)


def start(kernel: Kernel, principal: Principal) -> Enrolment:
    """A new seed for the person who asks, which asks for nothing before it is confirmed. Raises 409 if one is on."""
    import pyotp

    seed = pyotp.random_base32()

    def work(tx: Tx) -> None:
        recheck(tx, principal)
        kernel.keys.require_present(tx.connection, tx.space_id)
        row = _mine(tx, principal)
        if row.totp_since is not None:
            raise Refusal("conflict", "A second factor is on: turn it off before you set up another one.")
        wrapped = kernel.vault.wrap(seed.encode(), seed_label(tx.space_id, principal.id))
        store.put_secret(tx, principal.id, {"totp": wrapped, "totp_step": 0})
        leave(tx, principal, "person.change", {"person_id": principal.id}, {"change": "second-factor-seed"})

    kernel.writer.commit(principal.space_id, work)
    return enrolment(kernel, principal)


def enrolment(kernel: Kernel, principal: Principal) -> Enrolment:
    """What was started and is not confirmed yet. Raises 409 when there is nothing such."""
    import pyotp

    with kernel.database.read() as connection:
        row = store.by_id(connection, principal.space_id, principal.id)
    if row is None or row.totp is None or row.totp_since is not None:
        raise Refusal("conflict", "No second factor is being set up.")
    seed = _seed(kernel, row)
    address = pyotp.TOTP(seed).provisioning_uri(name=row.email, issuer_name=f"Tarimba {row.space_name}")
    return Enrolment(seed, address)


def confirm(kernel: Kernel, principal: Principal, code: str) -> Recorded:
    """From now on codes are asked for. Every other session of the person ends. Raises 422 for a wrong code, 409."""
    with kernel.database.read() as connection:
        row = store.by_id(connection, principal.space_id, principal.id)
    if row is None or row.totp is None or row.totp_since is not None:
        raise Refusal("conflict", "No second factor is being set up.")
    step = step_of(kernel, row, code)
    if step is None:
        raise invalid("code", "is not the one that the app shows now")

    def work(tx: Tx) -> Recorded:
        recheck(tx, principal)
        store.put_secret(tx, principal.id, {"totp_since": tx.now, "totp_step": step})
        store.end_sessions(tx, principal.id, kernel.clock.now_us(), but=principal.key_id or "")
        return leave(
            tx, principal, "person.change", {"person_id": principal.id}, {"change": "second-factor-on"}
        )

    return kernel.writer.commit(principal.space_id, work)


def remove(kernel: Kernel, principal: Principal, password: str, code: str, *, client: str) -> Recorded:
    """Codes are asked for no longer. Who has no password says a code instead.

    Raises 422 for a wrong one, and 429 after too many of them.
    """
    attempt = Attempt(kernel, f"{principal.space_id} {principal.id}", client)
    attempt.begin()
    with kernel.database.read() as connection:
        row = store.by_id(connection, principal.space_id, principal.id)
    if row is None or (row.password and not passwords.matches(row.password, password)):
        raise invalid("password", "is not yours")
    step = None if row.password else step_of(kernel, row, code)
    if not row.password and step is None:
        raise invalid("code", "is not the one that the app shows now")
    attempt.succeeded()

    def work(tx: Tx) -> Recorded:
        recheck(tx, principal)
        mine = _mine(tx, principal)
        if step is not None and (mine.password or mine.totp_step >= step):
            raise invalid("code", "is not the one that the app shows now")
        store.put_secret(tx, principal.id, {"totp": None, "totp_since": None, "totp_step": 0})
        detail = {"change": "second-factor-off"}
        return leave(tx, principal, "person.change", {"person_id": principal.id}, detail)

    return kernel.writer.commit(principal.space_id, work)


def step_of(kernel: Kernel, row: Row[Any], code: str) -> int | None:
    """The step whose code this is, if it is one of about now that was not used."""
    import pyotp

    if row.totp is None:
        return None
    totp = pyotp.TOTP(_seed(kernel, row))
    now = kernel.clock.now_us() // SECOND // STEP_SECONDS
    said = "".join(code.split())
    for away in _AROUND:
        step = now + away
        if hmac.compare_digest(totp.generate_otp(step).encode(), said.encode()) and step > row.totp_step:
            return step
    return None


def _seed(kernel: Kernel, row: Row[Any]) -> str:
    return kernel.vault.unwrap(bytes(row.totp), seed_label(row.space_id, row.person_id)).decode()


def _mine(tx: Tx, principal: Principal) -> Row[Any]:
    row = store.by_id(tx.connection, tx.space_id, principal.id)
    if row is None:
        raise Refusal("unauthenticated", "Sign in again.")
    return row
