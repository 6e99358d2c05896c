"""Names for ids, and ids for short names: what pages show to whoever may read notes, proposals or receipts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from tarimba.identity.model import Principal
from tarimba.identity.rules import allow, may
from tarimba.kernel import Kernel
from tarimba.storage.tables import agent, person, subscription, subscription_member, vendor

AGENTS_MAX = 2_000
OFFERED_MAX = 500
_MANAGER_OF = "manager@"


@dataclass(frozen=True, slots=True)
class AgentName:
    """An agent as a person knows it. `pools` are the pools whose notes it reads."""

    source_id: str
    slug: str
    name: str
    vendor: str
    harness: str
    pools: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """A subscription, or a member of one, by the names that people know."""

    id: str
    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class Names:
    """Names by id. What has none, since it is gone or was never there, is shown as its id."""

    agents: dict[str, AgentName]
    people: dict[str, str]

    def agent(self, source_id: str | None) -> str:
        found = self.agents.get(source_id or "")
        return (source_id or "") if found is None else found.name

    def actor(self, actor_id: str) -> str:
        """A person, an agent, or the id itself: a key of the space, the command line, a job."""
        if actor_id in self.people:
            return self.people[actor_id]
        return self.agent(actor_id)


def names_of(kernel: Kernel, principal: Principal) -> Names:
    """The first 2,000 agents of the space by name, and its people."""
    with kernel.database.read() as connection:
        return Names(_agents(connection, principal.space_id), _people(connection, principal.space_id))


def subscriptions_of(kernel: Kernel, principal: Principal) -> dict[str, Called]:
    """By id, the first 500 by slug: all for who works for the whole space, else those that a person manages."""
    query = _subscriptions(principal).order_by(subscription.c.slug).limit(OFFERED_MAX)
    with kernel.database.read() as connection:
        return {row.subscription_id: Called(*row) for row in connection.execute(query)}


def _subscriptions(principal: Principal) -> Select[Any]:
    columns = subscription.c
    query = select(columns.subscription_id, columns.slug, columns.name)
    query = query.where(columns.space_id == principal.space_id)
    if not may(principal, "read_skills"):
        managed = [role.removeprefix(_MANAGER_OF) for role in principal.roles if role.startswith(_MANAGER_OF)]
        query = query.where(columns.slug.in_(sorted(managed)))
    return query


def members_of(kernel: Kernel, principal: Principal, subscription_id: str) -> list[Called]:
    """Who is in a subscription and not disabled: the first 500 by slug. Raises 403."""
    allow(principal, "read_workspaces")
    columns, theirs = person.c, subscription_member.c
    query = (
        select(columns.person_id, columns.slug, columns.name)
        .join(
            subscription_member,
            (theirs.space_id == columns.space_id) & (theirs.person_id == columns.person_id),
        )
        .where(columns.space_id == principal.space_id, theirs.subscription_id == subscription_id)
        .where(columns.disabled_at.is_(None))
        .order_by(columns.slug)
        .limit(OFFERED_MAX)
    )
    with kernel.database.read() as connection:
        return [Called(*row) for row in connection.execute(query)]


def agents_like(kernel: Kernel, principal: Principal, text: str, limit: int) -> list[Called]:
    """Agents whose name or short name holds a text, whatever its case: the first `limit` by name."""
    columns = agent.c
    query = select(columns.source_id, columns.slug, columns.name).where(
        columns.space_id == principal.space_id
    )
    return _like(kernel, query, columns.slug, columns.name, text, limit)


def people_like(kernel: Kernel, principal: Principal, text: str, limit: int) -> list[Called]:
    """People, as `agents_like` finds agents."""
    columns = person.c
    query = select(columns.person_id, columns.slug, columns.name).where(
        columns.space_id == principal.space_id
    )
    return _like(kernel, query, columns.slug, columns.name, text, limit)


def subscriptions_like(kernel: Kernel, principal: Principal, text: str, limit: int) -> list[Called]:
    """Those of `subscriptions_of`, as `agents_like` finds agents."""
    return _like(kernel, _subscriptions(principal), subscription.c.slug, subscription.c.name, text, limit)


def agent_called(kernel: Kernel, principal: Principal, said: str) -> str | None:
    """The id of the agent with that id or that short name."""
    columns = agent.c
    query = select(columns.source_id).where(columns.space_id == principal.space_id)
    with kernel.database.read() as connection:
        found: str | None = connection.scalar(
            query.where((columns.source_id == said) | (columns.slug == said))
        )
    return found


def person_called(kernel: Kernel, principal: Principal, said: str) -> str | None:
    """The id of the person with that short name."""
    columns = person.c
    query = select(columns.person_id).where(columns.space_id == principal.space_id, columns.slug == said)
    with kernel.database.read() as connection:
        found: str | None = connection.scalar(query)
    return found


def _like(
    kernel: Kernel,
    query: Select[Any],
    slug: ColumnElement[str],
    name: ColumnElement[str],
    text: str,
    limit: int,
) -> list[Called]:
    wanted = text.lower()
    held = slug.contains(wanted, autoescape=True) | func.lower(name).contains(wanted, autoescape=True)
    with kernel.database.read() as connection:
        return [
            Called(*row) for row in connection.execute(query.where(held).order_by(name, slug).limit(limit))
        ]


def _agents(connection: Connection, space_id: str) -> dict[str, AgentName]:
    columns = agent.c
    query = (
        select(columns.source_id, columns.slug, columns.name, columns.harness, columns.pool)
        .add_columns(vendor.c.name.label("vendor"), vendor.c.pool.label("vendor_pool"))
        .join(vendor, (vendor.c.space_id == columns.space_id) & (vendor.c.vendor_id == columns.vendor_id))
        .where(columns.space_id == space_id)
        .order_by(columns.name, columns.source_id)
        .limit(AGENTS_MAX)
    )
    return {
        row.source_id: AgentName(
            row.source_id, row.slug, row.name, row.vendor, row.harness, (0, row.vendor_pool, row.pool)
        )
        for row in connection.execute(query)
    }


def _people(connection: Connection, space_id: str) -> dict[str, str]:
    query = select(person.c.person_id, person.c.name).where(person.c.space_id == space_id)
    return {row.person_id: row.name for row in connection.execute(query.limit(10_000))}
