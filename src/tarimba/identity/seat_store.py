"""SQL that finds the subscription, the agent and the member that somebody names. No decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, and_, bindparam, or_, select

from tarimba.identity.model import Principal
from tarimba.storage.tables import (
    agent,
    person,
    space,
    space_head,
    subscription,
    subscription_member,
    workspace,
    workspace_project,
)

# A membership of somebody who is not disabled, and an agent, of one space.
_STANDING: Final[Select[Any]] = (
    select(
        space.c.space_no,
        space.c.language,
        space.c.environment,
        space_head.c.generation,
        agent.c.vendor_id,
        subscription_member.c.epoch,
    )
    .join_from(space, space_head, space_head.c.space_id == space.c.space_id)
    .join(subscription_member, subscription_member.c.space_id == space.c.space_id)
    .join(
        person,
        and_(person.c.space_id == space.c.space_id, person.c.person_id == subscription_member.c.person_id),
    )
    .join(agent, agent.c.space_id == space.c.space_id)
    .where(
        space.c.space_id == bindparam("space"),
        subscription_member.c.subscription_id == bindparam("subscription"),
        subscription_member.c.person_id == bindparam("member"),
        agent.c.source_id == bindparam("source"),
        person.c.disabled_at.is_(None),
    )
)


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
    return _nearest(found, name)


def has_project(connection: Connection, ids: tuple[str, str, str, str], project: str) -> bool:
    """`ids` are those of space, subscription, agent and member."""
    columns = workspace.c
    space_id, subscription_id, source_id, person_id = ids
    query = (
        select(workspace_project.c.project)
        .join_from(
            workspace,
            workspace_project,
            and_(
                workspace_project.c.space_id == columns.space_id,
                workspace_project.c.workspace_id == columns.workspace_id,
            ),
        )
        .where(
            columns.space_id == space_id,
            columns.subscription_id == subscription_id,
            columns.source_id == source_id,
            columns.person_id == person_id,
            workspace_project.c.project == project,
        )
    )
    return connection.execute(query).first() is not None


def standing(
    connection: Connection, space_id: str, subscription_id: str, source_id: str, person_id: str
) -> Row[Any] | None:
    """What the space and the membership of a seat are at this moment; None where one of them is not there."""
    ids = {"space": space_id, "subscription": subscription_id, "source": source_id, "member": person_id}
    return connection.execute(_STANDING, ids).first()


def is_working(connection: Connection, caller: Principal) -> bool:
    """Whether the membership still stands by which it was let in."""
    assert caller.subscription_id is not None
    assert caller.source_id is not None
    assert caller.person_id is not None
    ids = (caller.subscription_id, caller.source_id, caller.person_id)
    found = standing(connection, caller.space_id, *ids)
    return found is not None and found.epoch == caller.epoch


def _nearest(found: list[Named], name: str) -> Named | None:
    """A slug may look like an id: the id goes before."""
    return min(found, key=lambda one: one.id != name, default=None)
