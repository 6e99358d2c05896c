"""SQL that finds a member of a subscription. No decisions."""

from __future__ import annotations

from sqlalchemy import Connection, and_, or_, select

from tarimba.skills.place_store import Named
from tarimba.storage.tables import person, subscription_member


def member_named(connection: Connection, space_id: str, subscription_id: str, name: str) -> Named | None:
    """A member of the subscription who is not disabled, by id or slug."""
    query = (
        select(person.c.person_id, person.c.slug)
        .join_from(
            person,
            subscription_member,
            and_(
                subscription_member.c.space_id == person.c.space_id,
                subscription_member.c.person_id == person.c.person_id,
            ),
        )
        .where(
            person.c.space_id == space_id,
            subscription_member.c.subscription_id == subscription_id,
            person.c.disabled_at.is_(None),
            or_(person.c.person_id == name, person.c.slug == name),
        )
    )
    found = [Named(row.person_id, row.slug) for row in connection.execute(query)]
    return min(found, key=lambda one: one.id != name, default=None)
