"""SQL that finds the person whose data is meant, and names their places. No decisions."""

from __future__ import annotations

from sqlalchemy import Connection, or_, select

from tarimba.storage.tables import agent, person, subscription


def person_named(connection: Connection, space_id: str, name: str) -> str | None:
    """The id of a person by id or slug, also of a disabled one; an id goes before a slug that looks like it."""
    columns = person.c
    query = select(columns.person_id).where(
        columns.space_id == space_id, or_(columns.person_id == name, columns.slug == name)
    )
    found = list(connection.scalars(query))
    return min(found, key=lambda one: one != name, default=None)


def slugs(connection: Connection, space_id: str) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Subscriptions' slugs by id, and agents' slugs and harnesses by id."""
    theirs = select(subscription.c.subscription_id, subscription.c.slug)
    agents = select(agent.c.source_id, agent.c.slug, agent.c.harness)
    return (
        {row[0]: row[1] for row in connection.execute(theirs.where(subscription.c.space_id == space_id))},
        {row[0]: (row[1], row[2]) for row in connection.execute(agents.where(agent.c.space_id == space_id))},
    )
