"""Bringing a space to what a file declares: what is missing is made, what differs is changed, nothing is removed."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection

from tarimba.errors import Refusal, not_found
from tarimba.identity import fleet_acts, fleet_store, people_acts, people_store, space_acts, space_store
from tarimba.identity.changes import leave
from tarimba.identity.drafts import PersonChange
from tarimba.identity.entries import Agent, Key, Person, Space, Subscription, Vendor
from tarimba.identity.fields import checked_email
from tarimba.identity.manifest import AgentEntry, KeyEntry, Manifest, PersonEntry, SpaceEntry
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.spaces import host_principal
from tarimba.identity.tokens import Bearer, mint_key
from tarimba.ids import digest, new_id
from tarimba.kernel import Kernel
from tarimba.receipts.merkle import Frontier
from tarimba.receipts.seal import seal
from tarimba.storage import Tx

# Another process may found the same space between our look and our lock: the second look finds its space.
_LOOKS = 2
_SPACE_NO_BITS = 47

Also = Callable[[Tx, Principal], None]


@dataclass(frozen=True, slots=True)
class Applied:
    """What there is now, by slug and by name. A key that was there before is None."""

    space_id: str
    slug: str
    vendors: Mapping[str, str]
    agents: Mapping[str, str]
    agent_keys: Mapping[str, Mapping[str, str | None]]
    keys: Mapping[str, str | None]
    people: Mapping[str, str]
    subscriptions: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        agents = {
            slug: {"source_id": source_id, "keys": dict(self.agent_keys[slug])}
            for slug, source_id in self.agents.items()
        }
        return {
            "space": {"id": self.space_id, "slug": self.slug},
            "vendors": dict(self.vendors),
            "agents": agents,
            "keys": dict(self.keys),
            "people": dict(self.people),
            "subscriptions": dict(self.subscriptions),
        }


@dataclass(slots=True)
class _Run:
    """One application under the lock: what is there by slug, and on whose behalf it is changed."""

    tx: Tx
    by: Principal
    vendors: dict[str, Vendor]
    agents: dict[str, Agent]
    keys: dict[tuple[str | None, str], Key]
    people: dict[str, Person]
    subscriptions: dict[str, Subscription]
    secrets: dict[tuple[str | None, str], str] = field(default_factory=dict)


def apply(
    kernel: Kernel, manifest: Manifest, as_email: str | None = None, also: Also | None = None
) -> Applied:
    """Makes and changes what differs, in one transaction, as that person, else as the file's first owner.

    `also` is what another slice does for the file at the end of the same transaction.

    Raises 404 for an unknown `as_email`, 403 when that person may not change what differs, 422 and 409 naming
    the place in the file.
    """
    for _ in range(_LOOKS):
        with kernel.database.read() as connection:
            space = space_store.space_by_slug(connection, manifest.space.slug)
        try:
            if space:
                return _change(kernel, space, manifest, as_email, also)
            return _found(kernel, manifest, as_email, also)
        except _FoundMeanwhileError:
            continue
    raise Refusal("unavailable", "The space is being made by another process. Try again.", retry_after=1)


class _FoundMeanwhileError(Exception):
    """Another process made a space with this slug first."""


def _change(
    kernel: Kernel, space: Space, manifest: Manifest, as_email: str | None, also: Also | None
) -> Applied:
    _refuse_other_environment(space, manifest.space)
    return kernel.writer.commit(space.space_id, lambda tx: _apply(tx, space, manifest, as_email, also))


def _found(kernel: Kernel, manifest: Manifest, as_email: str | None, also: Also | None) -> Applied:
    space = _new_space(kernel, manifest.space)
    # The row to be locked is made ahead of the savepoint and would stay, so nothing may be refused after it.
    manifest.refuse_dangling(kernel.clock.now_us())
    allow(_actor({}, host_principal(space), manifest, _new_ids(manifest, {}), as_email), "people")
    wrapped = kernel.keys.mint(space.space_id)
    frontier = Frontier.empty()
    first_seal = seal(kernel.keys.of(space.space_id), 0, frontier.root())

    def before(connection: Connection) -> None:
        kernel.keys.require_present(connection)
        space_store.add_space(connection, space, wrapped, frontier.to_bytes(), first_seal)

    def work(tx: Tx) -> Applied:
        return _apply(tx, space, manifest, as_email, also, is_new=True)

    try:
        return kernel.writer.commit(space.space_id, work, before=before)
    except Refusal as refusal:
        with kernel.database.read() as connection:
            other = space_store.space_by_slug(connection, space.slug)
        if refusal.code == "not_found" and other is not None and other.space_id != space.space_id:
            raise _FoundMeanwhileError from refusal
        raise


def _new_space(kernel: Kernel, entry: SpaceEntry) -> Space:
    return Space(
        new_id(),
        secrets.randbits(_SPACE_NO_BITS),
        entry.slug,
        entry.name or entry.slug,
        entry.language or "pt",
        entry.environment or "live",
        kernel.clock.now_us(),
    )


def _apply(
    tx: Tx,
    space: Space,
    manifest: Manifest,
    as_email: str | None,
    also: Also | None,
    *,
    is_new: bool = False,
) -> Applied:
    run = _open(tx, space)
    new_ids = _new_ids(manifest, run.people)
    run.by = _actor(run.people, run.by, manifest, new_ids, as_email)
    if is_new:
        leave(tx, run.by, "settings.change", {}, {"setting": "space", "change": "create"})
    _settings(run, manifest)
    _people(run, manifest, new_ids)
    _fleet(run, manifest)
    if also is not None:
        also(tx, run.by)
    return _applied(run, space, manifest)


def _open(tx: Tx, space: Space) -> _Run:
    connection, space_id = tx.connection, tx.space_id
    return _Run(
        tx,
        host_principal(space),
        {vendor.slug: vendor for vendor in fleet_store.all_vendors(connection, space_id)},
        {agent.slug: agent for agent in fleet_store.all_agents(connection, space_id)},
        {(key.source_id, key.name): key for key in fleet_store.all_keys(connection, space_id)},
        {person.slug: person for person in people_store.all_people(connection, space_id)},
        {entry.slug: entry for entry in people_store.all_subscriptions(connection, space_id)},
    )


def _new_ids(manifest: Manifest, people: Mapping[str, Person]) -> dict[str, str]:
    """Ids for the people of the file who are not there yet: one of them may be the actor."""
    return {entry.new.slug: new_id() for entry in manifest.people if entry.new.slug not in people}


def _actor(
    people: Mapping[str, Person],
    host: Principal,
    manifest: Manifest,
    new_ids: Mapping[str, str],
    as_email: str | None,
) -> Principal:
    """The person named, else the first owner in the file who is in force, else the host itself."""
    email = None if as_email is None else checked_email("--as", as_email)
    for entry in manifest.people:
        known = people.get(entry.new.slug)
        # The host vouches for the file, so a role that the file gives counts from the start.
        roles = entry.new.roles | (known.roles if known else frozenset())
        is_meant = "owner" in entry.new.roles if email is None else _has_address(entry, known, email)
        if is_meant and (known is None or known.disabled_at is None):
            person_id = known.person_id if known else new_ids[entry.new.slug]
            return replace(host, kind="person", id=person_id, roles=roles)
    if email is None:
        return host
    for person in people.values():
        if person.email == email and person.disabled_at is None:
            return replace(host, kind="person", id=person.person_id, roles=person.roles)
    raise not_found("person")


def _has_address(entry: PersonEntry, known: Person | None, email: str) -> bool:
    return email == entry.new.email or (known is not None and email == known.email)


def _settings(run: _Run, manifest: Manifest) -> None:
    own = {"name": manifest.space.name, "language": manifest.space.language}
    changes = {name: value for name, value in own.items() if value is not None} | dict(manifest.settings)
    if space_acts.differing(run.tx, changes):
        allow(run.by, "settings")
        space_acts.change_settings(run.tx, run.by, changes)


def _people(run: _Run, manifest: Manifest, new_ids: Mapping[str, str]) -> None:
    """First the people, then the subscriptions that they join, then the roles over those."""
    for entry in manifest.people:
        _person(run, entry, new_ids)
    _subscriptions(run, manifest)
    for entry in manifest.people:
        person = run.people[entry.new.slug]
        if not entry.new.roles <= person.roles:
            _change_person(run, person, PersonChange(roles=person.roles | entry.new.roles), entry.where)


def _person(run: _Run, entry: PersonEntry, new_ids: Mapping[str, str]) -> None:
    known = run.people.get(entry.new.slug)
    if known is not None:
        _change_person(run, known, replace(entry.change, roles=None), entry.where)
        return
    allow(run.by, "people")
    # A role over a subscription of the same file is given when the subscription is there.
    new = replace(entry.new, roles=frozenset(role for role in entry.new.roles if "@" not in role))
    person_id = new_ids[new.slug]
    run.people[new.slug], _ = people_acts.make_person(run.tx, run.by, new, person_id, entry.where)


def _change_person(run: _Run, person: Person, change: PersonChange, where: str) -> None:
    wanted = {"name": change.name, "email": change.email, "language": change.language, "roles": change.roles}
    if any(value not in (None, getattr(person, name)) for name, value in wanted.items()):
        allow(run.by, "people")
        people_acts.change_person(run.tx, run.by, person.person_id, change, where)


def _subscriptions(run: _Run, manifest: Manifest) -> None:
    for entry in manifest.subscriptions:
        known = run.subscriptions.get(entry.new.slug)
        if known is None:
            allow(run.by, "people")
            made, _ = people_acts.make_subscription(run.tx, run.by, entry.new, entry.where)
            run.subscriptions[made.slug] = made
        elif entry.name not in (None, known.name) or not set(entry.new.members) <= set(known.members):
            allow(run.by, "people")
            name = entry.name or known.name
            people_acts.extend_subscription(run.tx, run.by, known, name, entry.new.members, entry.where)


def _fleet(run: _Run, manifest: Manifest) -> None:
    for vendor in manifest.vendors:
        known = run.vendors.get(vendor.new.slug)
        if known is None:
            allow(run.by, "fleet")
            run.vendors[vendor.new.slug], _ = fleet_acts.make_vendor(run.tx, run.by, vendor.new)
        elif vendor.name not in (None, known.name):
            allow(run.by, "fleet")
            fleet_acts.rename_vendor(run.tx, run.by, known, str(vendor.name))
    for entry in manifest.agents:
        _agent(run, entry)
        for key in entry.keys:
            _key(run, key, run.agents[entry.new.slug].source_id)
    for key in manifest.keys:
        _key(run, key, None)


def _agent(run: _Run, entry: AgentEntry) -> None:
    known, change = run.agents.get(entry.new.slug), entry.change
    if known is None:
        allow(run.by, "settings" if entry.new.task_section else "fleet")
        run.agents[entry.new.slug], _ = fleet_acts.make_agent(run.tx, run.by, entry.new, entry.where)
        return
    if known.vendor != entry.new.vendor:
        # What agents of a vendor have learned must not move to another vendor.
        raise Refusal("conflict", f"{entry.where}vendor: the vendor of an agent never changes.")
    if change.task_section not in (None, known.task_section):
        allow(run.by, "settings")
    if change.name not in (None, known.name) or change.harness not in (None, known.harness):
        allow(run.by, "fleet")
    fleet_acts.change_agent(run.tx, run.by, known.source_id, change)


def _key(run: _Run, entry: KeyEntry, source_id: str | None) -> None:
    """A key of this name that was there before stays what it is, revoked or not."""
    name = (source_id, entry.new.name)
    known = run.keys.get(name)
    if known is not None:
        if known.scopes != entry.new.scopes:
            words = "the scopes of a key never change: revoke it and name a new one"
            raise Refusal("conflict", f"{entry.where}scopes: {words}.")
        return
    allow(run.by, "fleet" if source_id else "export")
    secret, key_id = mint_key(run.by.environment)
    minted = Bearer("key", key_id, digest(secret))
    fleet_acts.make_key(run.tx, run.by, entry.new, minted, source_id, entry.where)
    run.secrets[name] = secret


def _refuse_other_environment(space: Space, entry: SpaceEntry) -> None:
    if entry.environment not in (None, space.environment):
        raise Refusal("conflict", "space.environment: a space stays live or test, as it was made.")


def _applied(run: _Run, space: Space, manifest: Manifest) -> Applied:
    agents = {entry.new.slug: run.agents[entry.new.slug].source_id for entry in manifest.agents}
    agent_keys = {
        entry.new.slug: {
            key.new.name: run.secrets.get((agents[entry.new.slug], key.new.name)) for key in entry.keys
        }
        for entry in manifest.agents
    }
    return Applied(
        space.space_id,
        space.slug,
        {entry.new.slug: run.vendors[entry.new.slug].vendor_id for entry in manifest.vendors},
        agents,
        agent_keys,
        {entry.new.name: run.secrets.get((None, entry.new.name)) for entry in manifest.keys},
        {entry.new.slug: run.people[entry.new.slug].person_id for entry in manifest.people},
        {
            entry.new.slug: run.subscriptions[entry.new.slug].subscription_id
            for entry in manifest.subscriptions
        },
    )
