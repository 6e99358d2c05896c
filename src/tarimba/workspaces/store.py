"""SQL of workspaces and their projects. No decisions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, and_, func, insert, or_, select, update

from tarimba.harnesses.service import profile
from tarimba.identity.listing import Page, Window, page_of, rows_of
from tarimba.identity.seats import Called, Seat
from tarimba.storage import Tx
from tarimba.storage.tables import (
    agent,
    person,
    space,
    subscription,
    subscription_member,
    workspace,
    workspace_project,
)
from tarimba.workspaces.model import Entry, Project, Workspace


def of_seat(connection: Connection, seat: Seat) -> Workspace | None:
    columns = workspace.c
    mine = and_(
        columns.space_id == seat.space_id,
        columns.subscription_id == seat.subscription_id,
        columns.source_id == seat.source_id,
        columns.person_id == seat.person_id,
    )
    row = connection.execute(select(workspace).where(mine)).first()
    return None if row is None else _workspace(row, seat)


def by_id(connection: Connection, space_id: str, workspace_id: str) -> Entry | None:
    row = connection.execute(_entries(space_id).where(workspace.c.workspace_id == workspace_id)).first()
    return None if row is None else _entry(row)


def entries(connection: Connection, space_id: str, called: Called, window: Window) -> Page[Entry]:
    """Those of what is named by slug or id; what is not named may be any."""
    query = _entries(space_id)
    for ident, slug, name in (
        (workspace.c.subscription_id, subscription.c.slug, called.subscription),
        (workspace.c.source_id, agent.c.slug, called.agent),
        (workspace.c.person_id, person.c.slug, called.member),
    ):
        if name:
            query = query.where(or_(ident == name, slug == name))
    return page_of([_entry(row) for row in rows_of(connection, query, workspace.c.ordinal, window)], window)


def own_entries(connection: Connection, space_id: str, person_id: str, window: Window) -> Page[Entry]:
    """Those of a person in the subscriptions that still have them."""
    theirs = select(subscription_member.c.person_id).where(
        subscription_member.c.space_id == space_id,
        subscription_member.c.subscription_id == workspace.c.subscription_id,
        subscription_member.c.person_id == workspace.c.person_id,
    )
    query = _entries(space_id).where(workspace.c.person_id == person_id, theirs.exists())
    return page_of([_entry(row) for row in rows_of(connection, query, workspace.c.ordinal, window)], window)


def projects(connection: Connection, space_id: str, workspace_id: str) -> tuple[Project, ...]:
    columns = workspace_project.c
    mine = and_(columns.space_id == space_id, columns.workspace_id == workspace_id)
    rows = connection.execute(select(workspace_project).where(mine).order_by(columns.ordinal))
    return tuple(_project(row) for row in rows)


def project_count(connection: Connection, space_id: str, workspace_id: str) -> int:
    columns = workspace_project.c
    mine = and_(columns.space_id == space_id, columns.workspace_id == workspace_id)
    return int(
        connection.execute(select(func.count()).select_from(workspace_project).where(mine)).scalar_one()
    )


def project_counts(connection: Connection, space_id: str, workspace_ids: Collection[str]) -> dict[str, int]:
    """How many projects each of the workspaces has that has some."""
    columns = workspace_project.c
    query = select(columns.workspace_id, func.count()).where(columns.space_id == space_id)
    query = query.where(columns.workspace_id.in_(sorted(workspace_ids))).group_by(columns.workspace_id)
    return {row[0]: int(row[1]) for row in connection.execute(query)}


def project_named(connection: Connection, space_id: str, workspace_id: str, project: str) -> Project | None:
    columns = workspace_project.c
    mine = and_(
        columns.space_id == space_id, columns.workspace_id == workspace_id, columns.project == project
    )
    row = connection.execute(select(workspace_project).where(mine)).first()
    return None if row is None else _project(row)


def language(connection: Connection, space_id: str) -> str:
    return str(connection.execute(select(space.c.language).where(space.c.space_id == space_id)).scalar_one())


def add(tx: Tx, made: Workspace) -> None:
    tx.write(
        insert(workspace).values(
            space_id=tx.space_id,
            workspace_id=made.workspace_id,
            subscription_id=made.seat.subscription_id,
            source_id=made.seat.source_id,
            person_id=made.seat.person_id,
            provisioned=made.provisioned,
            provisioned_at=made.provisioned_at,
            created_at=made.created_at,
            ordinal=made.ordinal,
        )
    )


def mark(tx: Tx, workspace_id: str, digest: str) -> None:
    mine = and_(workspace.c.space_id == tx.space_id, workspace.c.workspace_id == workspace_id)
    tx.write(update(workspace).where(mine).values(provisioned=digest, provisioned_at=tx.now))


def add_project(tx: Tx, made: Project) -> None:
    tx.write(
        insert(workspace_project).values(
            space_id=tx.space_id,
            workspace_id=made.workspace_id,
            project=made.project,
            name=made.name,
            created_at=made.created_at,
            ordinal=made.ordinal,
        )
    )


def _entries(space_id: str) -> Select[Any]:
    """Workspaces with the slugs of all whose they are."""
    slugs = (
        subscription.c.slug.label("subscription"),
        agent.c.slug.label("agent"),
        agent.c.harness,
        person.c.slug.label("member"),
    )
    theirs = workspace.join(subscription, _same(subscription, "subscription_id"))
    whole = theirs.join(agent, _same(agent, "source_id")).join(person, _same(person, "person_id"))
    return select(workspace, *slugs).select_from(whole).where(workspace.c.space_id == space_id)


def _same(table: Table, name: str) -> ColumnElement[bool]:
    return and_(table.c.space_id == workspace.c.space_id, table.c[name] == workspace.c[name])


def _entry(row: Row[Any]) -> Entry:
    ids = row.space_id, row.subscription_id, row.source_id
    seat = Seat(*ids, row.agent, profile(row.harness), row.person_id)
    return Entry(_workspace(row, seat), row.subscription, row.member)


def _workspace(row: Row[Any], seat: Seat) -> Workspace:
    return Workspace(row.workspace_id, seat, row.created_at, row.provisioned_at, row.provisioned, row.ordinal)


def _project(row: Row[Any]) -> Project:
    return Project(row.workspace_id, row.project, row.name, row.created_at, row.ordinal)
