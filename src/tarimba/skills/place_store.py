"""SQL that finds the subscription and the agent that somebody names. No decisions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, or_, select

from tarimba.storage.tables import agent, subscription


@dataclass(frozen=True, slots=True)
class Named:
    """Something that has an id and a slug. `harness` is an agent's."""

    id: str
    slug: str
    harness: str = ""


def subscription_named(connection: Connection, space_id: str, name: str) -> Named | None:
    """By slug or id."""
    columns = subscription.c
    query = select(columns.subscription_id, columns.slug).where(columns.space_id == space_id)
    found = connection.execute(query.where(or_(columns.subscription_id == name, columns.slug == name))).all()
    return _nearest([Named(row.subscription_id, row.slug) for row in found], name)


def agent_named(connection: Connection, space_id: str, name: str) -> Named | None:
    """By slug or id."""
    columns = agent.c
    query = select(columns.source_id, columns.slug, columns.harness).where(columns.space_id == space_id)
    found = connection.execute(query.where(or_(columns.source_id == name, columns.slug == name))).all()
    return _nearest([Named(row.source_id, row.slug, row.harness) for row in found], name)


def subscription_ids(connection: Connection, space_id: str, slugs: Collection[str]) -> frozenset[str]:
    """The ids of those that exist."""
    columns = subscription.c
    query = select(columns.subscription_id).where(columns.space_id == space_id)
    return frozenset(connection.scalars(query.where(columns.slug.in_(sorted(slugs)))))


def harnesses(connection: Connection, space_id: str) -> frozenset[str]:
    """The harnesses of the space's agents."""
    query: Any = select(agent.c.harness).where(agent.c.space_id == space_id).distinct()
    return frozenset(connection.scalars(query))


def _nearest(found: list[Named], name: str) -> Named | None:
    """A slug may look like an id: the id goes before."""
    return min(found, key=lambda one: one.id != name, default=None)
