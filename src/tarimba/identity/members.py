"""Who is a member of which subscription, one at a time, and the end of the tokens that workspaces of one hold."""

from __future__ import annotations

from typing import Any

from tarimba.errors import not_found
from tarimba.identity import people_store as store
from tarimba.identity.changes import commit_change, done, leave
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey


def add_member(
    kernel: Kernel,
    principal: Principal,
    subscription_id: str,
    person_id: str,
    once_key: OnceKey | None = None,
) -> Done:
    """No receipt where the person is a member already. Raises 403, and 404 for a subscription or person not there."""

    def work(tx: Tx) -> Done:
        _require_subscription(tx, subscription_id)
        if store.person_by_id(tx.connection, tx.space_id, person_id) is None:
            raise not_found("person")
        if store.is_member(tx.connection, tx.space_id, subscription_id, person_id):
            return done(200, None)
        store.add_members(tx, subscription_id, [person_id])
        return done(200, _left(tx, principal, subscription_id, {"members_added": [person_id]}))

    return commit_change(kernel, principal, "people", once_key, work)


def remove_member(
    kernel: Kernel,
    principal: Principal,
    subscription_id: str,
    person_id: str,
    once_key: OnceKey | None = None,
) -> Done:
    """What the member keeps stays, and opens again when they come back; the tokens of their workspaces never do.

    No receipt where the person was no member. Raises 403, and 404 for a subscription or person that is not there.
    """

    def work(tx: Tx) -> Done:
        _require_subscription(tx, subscription_id)
        if store.person_by_id(tx.connection, tx.space_id, person_id) is None:
            raise not_found("person")
        if not store.is_member(tx.connection, tx.space_id, subscription_id, person_id):
            return done(200, None)
        store.remove_member(tx, subscription_id, person_id)
        return done(200, _left(tx, principal, subscription_id, {"members_removed": [person_id]}))

    return commit_change(kernel, principal, "people", once_key, work)


def end_tokens(
    kernel: Kernel,
    principal: Principal,
    subscription_id: str,
    person_id: str,
    once_key: OnceKey | None = None,
) -> Done:
    """Every token of every workspace of the member in the subscription opens nothing from now on. Raises 403, 404."""

    def work(tx: Tx) -> Done:
        _require_subscription(tx, subscription_id)
        if not store.raise_epoch(tx, subscription_id, person_id):
            raise not_found("member")
        objects = {"subscription_id": subscription_id, "person_id": person_id}
        return done(200, leave(tx, principal, "workspace.change", objects, {"change": "revoke_tokens"}))

    return commit_change(kernel, principal, "workspaces", once_key, work)


def _require_subscription(tx: Tx, subscription_id: str) -> None:
    if store.subscription_by_id(tx.connection, tx.space_id, subscription_id) is None:
        raise not_found("subscription")


def _left(tx: Tx, by: Principal, subscription_id: str, change: dict[str, Any]) -> Recorded:
    objects = {"subscription_id": subscription_id}
    return leave(tx, by, "person.change", objects, {"change": "update", **change})
