"""SQL that finds what scopes and warnings of skills depend on. No decisions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, select

from tarimba.storage.tables import agent, subscription


def subscription_ids(connection: Connection, space_id: str, slugs: Collection[str]) -> frozenset[str]:
    """The ids of those that exist."""
    columns = subscription.c
    query = select(columns.subscription_id).where(columns.space_id == space_id)
    return frozenset(connection.scalars(query.where(columns.slug.in_(sorted(slugs)))))


def harnesses(connection: Connection, space_id: str) -> frozenset[str]:
    """The harnesses of the space's agents."""
    query: Any = select(agent.c.harness).where(agent.c.space_id == space_id).distinct()
    return frozenset(connection.scalars(query))
