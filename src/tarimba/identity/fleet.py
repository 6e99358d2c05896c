"""Vendors, agents and keys: who supplies agents to the space, and what opens it to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import Connection

from tarimba.errors import not_found
from tarimba.identity import fleet_acts as acts
from tarimba.identity import fleet_store as store
from tarimba.identity.changes import commit_change, done
from tarimba.identity.drafts import AgentChange, NewAgent, NewKey, NewVendor
from tarimba.identity.entries import Agent, Key, Vendor
from tarimba.identity.listing import Page, Window
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.tokens import Bearer, mint_key
from tarimba.ids import digest
from tarimba.kernel import Kernel
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MintedKey:
    """A new key. `secret` is the whole bearer string, there only the first time it is asked for."""

    done: Done
    secret: str | None


def list_vendors(kernel: Kernel, principal: Principal, window: Window) -> Page[Vendor]:
    """Raises 403."""
    return _read(kernel, principal, lambda connection: store.vendors(connection, principal.space_id, window))


def read_vendor(kernel: Kernel, principal: Principal, vendor_id: str) -> Vendor:
    """Raises 403 and 404."""
    found = _read(kernel, principal, lambda c: store.vendor_by_id(c, principal.space_id, vendor_id))
    return _there(found, "vendor")


def create_vendor(
    kernel: Kernel, principal: Principal, new: NewVendor, once_key: OnceKey | None = None
) -> Done:
    """Ids: `vendor_id`. Raises 403, and 409 when the slug is taken."""

    def work(tx: Tx) -> Done:
        made, recorded = acts.make_vendor(tx, principal, new)
        return done(201, recorded, vendor_id=made.vendor_id)

    return commit_change(kernel, principal, "fleet", once_key, work)


def list_agents(kernel: Kernel, principal: Principal, window: Window) -> Page[Agent]:
    """Raises 403."""
    return _read(kernel, principal, lambda connection: store.agents(connection, principal.space_id, window))


def read_agent(kernel: Kernel, principal: Principal, source_id: str) -> Agent:
    """Raises 403 and 404."""
    found = _read(kernel, principal, lambda c: store.agent_by_id(c, principal.space_id, source_id))
    return _there(found, "agent")


def find_agent(kernel: Kernel, principal: Principal, slug: str) -> Agent:
    """The agent with this slug. Raises 403 and 404."""
    found = _read(kernel, principal, lambda c: store.agent_by_slug(c, principal.space_id, slug))
    return _there(found, "agent")


def create_agent(
    kernel: Kernel, principal: Principal, new: NewAgent, once_key: OnceKey | None = None
) -> Done:
    """Ids: `source_id`. Raises 403, 422 for an unknown vendor, and 409 when the slug is taken."""
    if new.task_section:
        allow(principal, "settings")

    def work(tx: Tx) -> Done:
        made, recorded = acts.make_agent(tx, principal, new)
        return done(201, recorded, source_id=made.source_id)

    return commit_change(kernel, principal, "fleet", once_key, work)


def change_agent(
    kernel: Kernel,
    principal: Principal,
    source_id: str,
    change: AgentChange,
    once_key: OnceKey | None = None,
) -> Done:
    """Ids: `source_id`. Raises 403 (the task section is a setting: only who may change those) and 404."""
    if change.task_section is not None:
        allow(principal, "settings")

    def work(tx: Tx) -> Done:
        return done(200, acts.change_agent(tx, principal, source_id, change), source_id=source_id)

    return commit_change(kernel, principal, "fleet", once_key, work)


def list_keys(
    kernel: Kernel, principal: Principal, window: Window, source_id: str | None = None
) -> Page[Key]:
    """Every key of the space, or of one agent; revoked ones too. Raises 403, and 404 for an unknown agent."""

    def query(connection: Connection) -> Page[Key]:
        if source_id is not None:
            _there(store.agent_by_id(connection, principal.space_id, source_id), "agent")
        return store.keys(connection, principal.space_id, window, source_id)

    return _read(kernel, principal, query)


def read_key(kernel: Kernel, principal: Principal, key_id: str) -> Key:
    """Raises 403 and 404."""
    found = _read(kernel, principal, lambda c: store.key_by_id(c, principal.space_id, key_id))
    return _there(found, "key")


def create_key(
    kernel: Kernel,
    principal: Principal,
    new: NewKey,
    source_id: str | None,
    once_key: OnceKey | None = None,
) -> MintedKey:
    """A key of an agent, or of the space when `source_id` is None. Ids: `key_id`. Raises 403, 404 and 422.

    A key of the space can export and erase, so only who may do that makes one: nobody mints more than they hold.
    """
    if source_id is None:
        allow(principal, "export")
    secret, key_id = mint_key(principal.environment)
    minted = Bearer("key", key_id, digest(secret))

    def work(tx: Tx) -> Done:
        made, recorded = acts.make_key(tx, principal, new, minted, source_id)
        return done(201, recorded, key_id=made.key_id)

    change = commit_change(kernel, principal, "fleet", once_key, work)
    return MintedKey(change, None if change.replayed else secret)


def revoke_key(kernel: Kernel, principal: Principal, key_id: str, once_key: OnceKey | None = None) -> Done:
    """From its commit on the key opens nothing. Ids: `key_id`. Again: the same answer. Raises 403 and 404."""

    def work(tx: Tx) -> Done:
        return done(200, acts.revoke_key(tx, principal, key_id), key_id=key_id)

    return commit_change(kernel, principal, "fleet", once_key, work)


def _read(kernel: Kernel, principal: Principal, query: Callable[[Connection], T]) -> T:
    allow(principal, "fleet")
    with kernel.database.read() as connection:
        return query(connection)


def _there(found: T | None, what: str) -> T:
    if found is None:
        raise not_found(what)
    return found
