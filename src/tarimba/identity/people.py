"""People, their roles and tokens, and subscriptions: who answers for the space, and accounts of its members."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import Connection

from tarimba.errors import not_found
from tarimba.identity import people_acts as acts
from tarimba.identity import people_store as store
from tarimba.identity.changes import commit_change, done
from tarimba.identity.drafts import NewPerson, NewSubscription, PersonChange
from tarimba.identity.entries import Person, Subscription
from tarimba.identity.fields import checked_email
from tarimba.identity.listing import Page, Window
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.identity.tokens import Bearer, mint_token
from tarimba.ids import digest, new_id
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MintedToken:
    """A new personal token; `secret` is the whole bearer string."""

    done: Done
    secret: str


def list_people(kernel: Kernel, principal: Principal, window: Window) -> Page[Person]:
    """Raises 403."""
    return _read(kernel, principal, lambda connection: store.people(connection, principal.space_id, window))


def read_person(kernel: Kernel, principal: Principal, person_id: str) -> Person:
    """Raises 403 and 404."""
    found = _read(kernel, principal, lambda c: store.person_by_id(c, principal.space_id, person_id))
    return _there(found, "person")


def find_person(kernel: Kernel, principal: Principal, email: str) -> Person:
    """The person with this address, whatever its case. Raises 403, 404, and 422 for what is no address."""
    folded = checked_email("email", email)
    found = _read(kernel, principal, lambda c: store.person_by_email(c, principal.space_id, folded))
    return _there(found, "person")


def people_called(kernel: Kernel, principal: Principal, slugs: Collection[str]) -> list[Person]:
    """Those of these slugs who are there, by slug. Raises 403."""
    return _read(kernel, principal, lambda c: store.people_called(c, principal.space_id, slugs))


def create_person(
    kernel: Kernel, principal: Principal, new: NewPerson, once_key: OnceKey | None = None
) -> Done:
    """Ids: `person_id`. Raises 403, and 409 when the slug or the e-mail is taken."""
    person_id = new_id()

    def work(tx: Tx) -> Done:
        _, recorded = acts.make_person(tx, principal, new, person_id)
        return done(201, recorded, person_id=person_id)

    return commit_change(kernel, principal, "people", once_key, work)


def change_person(
    kernel: Kernel,
    principal: Principal,
    person_id: str,
    change: PersonChange,
    once_key: OnceKey | None = None,
) -> Done:
    """Ids: `person_id`. Raises 403, 404, and 409 for a taken e-mail and for the last owner."""

    def work(tx: Tx) -> Done:
        return done(200, acts.change_person(tx, principal, person_id, change), person_id=person_id)

    return commit_change(kernel, principal, "people", once_key, work)


def speak(kernel: Kernel, principal: Principal, language: str) -> Recorded | None:
    """One's own language, for whoever is signed in. None when it was that. Raises 422."""
    change = PersonChange.of(language=language)

    def work(tx: Tx) -> Recorded | None:
        recheck(tx, principal)
        return acts.change_person(tx, principal, principal.id, change)

    return kernel.writer.commit(principal.space_id, work)


def issue_token(
    kernel: Kernel, principal: Principal, person_id: str, expires_at: int | None = None
) -> MintedToken:
    """A personal token for the API. Ids: `token_id`. Raises 403, 404, and 409 for a disabled person."""
    secret, token_id = mint_token()
    minted = Bearer("token", token_id, digest(secret))

    def work(tx: Tx) -> Done:
        return done(201, acts.issue_token(tx, principal, person_id, minted, expires_at), token_id=token_id)

    return MintedToken(commit_change(kernel, principal, "people", None, work), secret)


def revoke_tokens(kernel: Kernel, principal: Principal, person_id: str) -> int:
    """Revokes every token of a person. Returns how many were in force. Raises 403."""
    counts: list[int] = []

    def work(tx: Tx) -> Done:
        count, recorded = acts.revoke_tokens(tx, principal, person_id)
        counts.append(count)
        return done(200, recorded, person_id=person_id)

    commit_change(kernel, principal, "people", None, work)
    return counts[-1]


def list_subscriptions(kernel: Kernel, principal: Principal, window: Window) -> Page[Subscription]:
    """Raises 403."""
    return _read(kernel, principal, lambda c: store.subscriptions(c, principal.space_id, window))


def read_subscription(kernel: Kernel, principal: Principal, subscription_id: str) -> Subscription:
    """Raises 403 and 404."""
    found = _read(
        kernel, principal, lambda c: store.subscription_by_id(c, principal.space_id, subscription_id)
    )
    return _there(found, "subscription")


def create_subscription(
    kernel: Kernel, principal: Principal, new: NewSubscription, once_key: OnceKey | None = None
) -> Done:
    """Ids: `subscription_id`. Raises 403, 409 for a taken slug, and 422 for a member who is nobody."""

    def work(tx: Tx) -> Done:
        made, recorded = acts.make_subscription(tx, principal, new)
        return done(201, recorded, subscription_id=made.subscription_id)

    return commit_change(kernel, principal, "people", once_key, work)


def _read(kernel: Kernel, principal: Principal, query: Callable[[Connection], T]) -> T:
    allow(principal, "people")
    with kernel.database.read() as connection:
        return query(connection)


def _there(found: T | None, what: str) -> T:
    if found is None:
        raise not_found(what)
    return found
