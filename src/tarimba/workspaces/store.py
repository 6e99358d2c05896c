"""SQL of workspaces and their projects. No decisions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, and_, select

from tarimba.identity.seats import Seat
from tarimba.storage.tables import workspace, workspace_project
from tarimba.workspaces.model import Project, Workspace


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


def projects(connection: Connection, space_id: str, workspace_id: str) -> tuple[Project, ...]:
    columns = workspace_project.c
    mine = and_(columns.space_id == space_id, columns.workspace_id == workspace_id)
    rows = connection.execute(select(workspace_project).where(mine).order_by(columns.ordinal))
    return tuple(_project(row) for row in rows)


def _workspace(row: Row[Any], seat: Seat) -> Workspace:
    return Workspace(row.workspace_id, seat, row.created_at, row.provisioned_at, row.provisioned, row.ordinal)


def _project(row: Row[Any]) -> Project:
    return Project(row.workspace_id, row.project, row.name, row.created_at, row.ordinal)
