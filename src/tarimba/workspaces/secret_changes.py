"""Giving credentials to agents and taking them away. Nothing here, nor any answer, shows a value again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.changes import commit_change, done, leave
from tarimba.identity.listing import Page, Window, page_of
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called, Seat, agent_named, own_seat, seat_named, subscription_named
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.spaces import secret_label
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey
from tarimba.workspaces import secret_store as store
from tarimba.workspaces.secret_delivery import deliver
from tarimba.workspaces.secret_model import Reach, Secret
from tarimba.workspaces.secret_rules import SECRETS_MAX, checked_secret_name, checked_value, merged


@dataclass(frozen=True, slots=True)
class Own:
    """What a member's agent gets, by name: the winning secret of each, and which own ones hide a given one."""

    secrets: Mapping[str, Secret]
    hiding: frozenset[str]
    receipt: Recorded


def list_given(kernel: Kernel, principal: Principal, called: Called | None, window: Window) -> Page[Secret]:
    """Those of administrators at the scope that is named, or at all, oldest change first. Raises 403 and 404."""
    allow(principal, "secrets")
    with kernel.database.read() as connection:
        reach = None if called is None else _reach(connection, principal.space_id, called)
        return page_of(store.listed(connection, principal.space_id, window, reach), window)


def put_given(
    kernel: Kernel,
    principal: Principal,
    called: Called,
    name: str,
    value: str,
    once_key: OnceKey | None = None,
) -> Done:
    """For all agents, one, those in a subscription or one in it. Ids: `secret_id`.

    Raises 403, 404, 409 when there are 100 at the scope, 413, 422.
    """
    allow(principal, "secrets")
    with kernel.database.read() as connection:
        reach = _reach(connection, principal.space_id, called)
    return _put(kernel, principal, "secrets", reach, (name, value), once_key)


def remove_given(
    kernel: Kernel, principal: Principal, called: Called, name: str, once_key: OnceKey | None = None
) -> Done:
    """Raises 403 and 404."""
    allow(principal, "secrets")
    with kernel.database.read() as connection:
        reach = _reach(connection, principal.space_id, called)
    return _remove(kernel, principal, "secrets", reach, name, once_key)


def list_own(kernel: Kernel, principal: Principal, called: Called) -> Own:
    """The names of all that the agent gets in the seat. Raises 403, 404 and 422."""
    with kernel.database.read() as connection:
        seat = _own(connection, principal, called)
        found = store.reaching(connection, seat)
    given = {one.name for one in found if not one.person_id}
    hiding = frozenset(one.name for one in found if one.person_id and one.name in given)
    detail = {"secrets": len(found)}
    receipt = Receipt("workspace.read", principal.actor, principal.via, seat.source_id, seat.objects, detail)
    return Own(merged(found), hiding, record_read(kernel.writer, seat.space_id, receipt))


def put_own(
    kernel: Kernel,
    principal: Principal,
    called: Called,
    name: str,
    value: str,
    once_key: OnceKey | None = None,
) -> Done:
    """The member's own for the agent, which wins over what administrators give. As `put_given`."""
    seat = _own_seat(kernel, principal, called)
    done = _put(kernel, principal, "own_secrets", _of(seat), (name, value), once_key)
    deliver(kernel, seat)
    return done


def remove_own(
    kernel: Kernel, principal: Principal, called: Called, name: str, once_key: OnceKey | None = None
) -> Done:
    """What administrators give under the name is the agent's again. Raises 403, 404 and 422."""
    seat = _own_seat(kernel, principal, called)
    done = _remove(kernel, principal, "own_secrets", _of(seat), name, once_key)
    deliver(kernel, seat)
    return done


def _own_seat(kernel: Kernel, principal: Principal, called: Called) -> Seat:
    with kernel.database.read() as connection:
        return _own(connection, principal, called)


def _own(connection: Connection, principal: Principal, called: Called) -> Seat:
    """The member's who asks; the host, which can open everything, names one."""
    if principal.kind != "host":
        return own_seat(connection, principal, called, "own_secrets")
    if not called.member:
        raise invalid("member", "is required")
    return seat_named(connection, principal.space_id, called)


def _of(seat: Seat) -> Reach:
    return Reach(seat.subscription_id, seat.source_id, seat.person_id)


def _reach(connection: Connection, space_id: str, called: Called) -> Reach:
    theirs = agent = ""
    if called.subscription:
        found = subscription_named(connection, space_id, called.subscription)
        if found is None:
            raise not_found("subscription")
        theirs = found.id
    if called.agent:
        found = agent_named(connection, space_id, called.agent)
        if found is None:
            raise not_found("agent")
        agent = found.id
    return Reach(theirs, agent)


def _put(
    kernel: Kernel,
    principal: Principal,
    act: str,
    reach: Reach,
    wish: tuple[str, str],
    once_key: OnceKey | None,
) -> Done:
    name, data = checked_secret_name(wish[0]), checked_value(wish[1])

    def work(tx: Tx) -> Done:
        kernel.keys.require_present(tx.connection, tx.space_id)
        before = store.named(tx.connection, tx.space_id, reach, name)
        if before is None and store.count(tx.connection, tx.space_id, reach) >= SECRETS_MAX:
            raise Refusal("conflict", f"There are {SECRETS_MAX} secrets here: remove one first.")
        secret_id = before.secret_id if before else new_id()
        label = secret_label(
            tx.space_id, secret_id, reach.subscription_id, reach.source_id, reach.person_id, name
        )
        made = before.created_at if before else tx.now
        wrapped = kernel.vault.wrap(data, label)
        one = Secret(
            secret_id,
            reach.subscription_id,
            reach.source_id,
            reach.person_id,
            name,
            made,
            tx.now,
            tx.next_ordinal(),
            wrapped,
        )
        store.put(tx, one, is_new=before is None)
        return _told(kernel, tx, principal, one, "edit" if before else "create")

    return commit_change(kernel, principal, act, once_key, work)


def _remove(
    kernel: Kernel, principal: Principal, act: str, reach: Reach, name: str, once_key: OnceKey | None
) -> Done:
    def work(tx: Tx) -> Done:
        found = store.named(tx.connection, tx.space_id, reach, name)
        if found is None:
            raise not_found("secret")
        store.remove(tx, found.secret_id)
        return _told(kernel, tx, principal, found, "remove")

    return commit_change(kernel, principal, act, once_key, work)


def _told(kernel: Kernel, tx: Tx, by: Principal, one: Secret, change: str) -> Done:
    """The receipt: which secret it was; its name, only who knows it can tell."""
    objects = {"secret_id": one.secret_id} | one.reach.objects
    detail = {"secret": "credential", "change": change, "name": kernel.keys.of(tx.space_id).commit(one.name)}
    recorded = leave(tx, by, "secret.change", objects, detail, one.source_id or None)
    ids = {"secret_id": one.secret_id, "created_at": str(one.created_at), "changed_at": str(tx.now)}
    return done(201 if change == "create" else 200, recorded, **ids)
