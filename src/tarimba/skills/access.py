"""Where somebody publishes and looks: from the words of a request to one of the four scopes, if they may.

The space's owners and managers publish for the space, the managers of a subscription for it, an admin key and the
host everywhere. An agent publishes nowhere: it gets what is published, by other routes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection

from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import may
from tarimba.identity.seats import Named, agent_named, subscription_named
from tarimba.identity.service import recheck
from tarimba.kernel import Kernel
from tarimba.skills import place_store
from tarimba.skills.records import Place
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, once

_MANAGER_OF = "manager@"


@dataclass(frozen=True, slots=True)
class Asked:
    """The scope as somebody names it: subscription and agent by slug or id, empty where none is named."""

    scope: Literal["tenant", "subscription"] = "tenant"
    subscription: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Where:
    """A scope that exists. `subscription` is the slug of its subscription, `harness` that of its agent, else empty."""

    place: Place
    subscription: str = ""
    harness: str = ""


@dataclass(frozen=True, slots=True)
class Reach:
    """The subscriptions whose scopes somebody may look at; None is all."""

    subscriptions: frozenset[str] | None

    def holds(self, place: Place) -> bool:
        return self.subscriptions is None or place.subscription_id in {"", *self.subscriptions}


def find(connection: Connection, space_id: str, asked: Asked) -> Where:
    """Raises 404 for a subscription or an agent that is not there, and 422 when the words do not fit together."""
    if (asked.scope == "subscription") != bool(asked.subscription):
        raise invalid("subscription", "must be named with scope=subscription, and only then")
    theirs = Named("", "")
    if asked.subscription:
        theirs = _there(subscription_named(connection, space_id, asked.subscription), "subscription")
    agent = Named("", "")
    if asked.agent:
        agent = _there(agent_named(connection, space_id, asked.agent), "agent")
    return Where(Place(asked.scope, theirs.id, agent.id), theirs.slug, agent.harness)


def approach(kernel: Kernel, principal: Principal, asked: Asked) -> Where:
    """The scope for somebody who wants to change it. Raises 403, 404 and 422."""
    _require_anywhere(principal)
    with kernel.database.read() as connection:
        where = find(connection, principal.space_id, asked)
    if not may_publish(principal, where):
        raise _not_here(where)
    return where


def may_publish(principal: Principal, where: Where) -> bool:
    """Whether the caller may publish at this scope, and remove there."""
    if principal.kind in ("host", "admin"):
        return True
    if principal.kind != "person":
        return False
    if where.place.scope == "tenant":
        return may(principal, "skills")
    return f"{_MANAGER_OF}{where.subscription}" in principal.roles


def reach(connection: Connection, principal: Principal) -> Reach:
    """What somebody may look at: all for who has a role in the space, else their own subscriptions and the space.

    Raises 403 for agents, and for people with neither.
    """
    if principal.kind != "agent" and may(principal, "read_skills"):
        return Reach(None)
    managed = _managed(principal)
    if not managed:
        raise Refusal(
            "scope_missing",
            "Only an admin key and people who work for the space or manage a subscription look at what is published.",
        )
    return Reach(place_store.subscription_ids(connection, principal.space_id, managed))


def look(connection: Connection, principal: Principal, asked: Asked) -> Place:
    """The scope for somebody who wants to read it. Raises 403, 404 and 422."""
    within = reach(connection, principal)
    place = find(connection, principal.space_id, asked).place
    if not within.holds(place):
        raise not_found("subscription")
    return place


def commit(kernel: Kernel, principal: Principal, key: OnceKey | None, work: Callable[[Tx], Done]) -> Done:
    """Runs `work` under the lock of the space, once for each key. Raises 401 when the caller may not act any more."""

    def run(tx: Tx) -> Done:
        # The same key or token with the same roles: then what was allowed before is allowed now.
        recheck(tx, principal)
        return once(tx, key, lambda: work(tx))

    return kernel.writer.commit(principal.space_id, run)


def _require_anywhere(principal: Principal) -> None:
    """Refuses who may publish nowhere before telling what exists."""
    if not may(principal, "publish_skills"):
        raise Refusal("scope_missing", "Only an admin key, owners and managers publish skills and files.")


def _managed(principal: Principal) -> frozenset[str]:
    return frozenset(
        role.removeprefix(_MANAGER_OF) for role in principal.roles if role.startswith(_MANAGER_OF)
    )


def _not_here(where: Where) -> Refusal:
    if where.place.scope == "tenant":
        return Refusal(
            "scope_missing", "For the whole space an admin key and its owners and managers publish."
        )
    return Refusal("scope_missing", "For a subscription an admin key and the managers of it publish.")


def _there(found: Named | None, what: str) -> Named:
    if found is None:
        raise not_found(what)
    return found
