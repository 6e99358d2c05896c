"""Which workspace is meant, and where it lies.

Paths are made of ids and of checked names of projects alone; nothing that a person types becomes one.

    <data>/<seat.home>/config.json              what the harness reads
    <data>/<seat.home>/workspace                the main workspace
    <data>/<seat.home>/workspace-<project>      those of projects, beside it
    <data>/<seat.home>/managed                  what is bound read-only into them, by its path in the workspace
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import not_found
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called, Seat, in_project, own_seat
from tarimba.workspaces import store
from tarimba.workspaces.model import Project, Workspace

__all__ = [
    "CONFIG",
    "MANAGED",
    "Project",
    "Workspace",
    "config",
    "find",
    "folder",
    "home",
    "managed",
    "own",
    "projects",
    "require",
]

CONFIG: Final = "config.json"
MANAGED: Final = "managed"


def home(data: Path, seat: Seat) -> Path:
    """The folder that holds all of a member's with an agent. The agent sees none of it but what is bound."""
    return data / seat.home


def folder(data: Path, seat: Seat) -> Path:
    """The main workspace, or that of `seat.project`."""
    return home(data, seat) / (f"workspace-{seat.project}" if seat.project else "workspace")


def managed(data: Path, seat: Seat) -> Path:
    """The host's side of the files that are bound read-only; in it each has its path in the workspace."""
    return home(data, seat) / MANAGED


def config(data: Path, seat: Seat) -> Path:
    """What the harness reads, outside of the agent's tree; every harness's own format has this name here."""
    return home(data, seat) / CONFIG


def find(connection: Connection, seat: Seat) -> Workspace | None:
    """The workspace of a seat, whose project it keeps; None when nobody made it."""
    return store.of_seat(connection, seat)


def require(connection: Connection, seat: Seat) -> Workspace:
    """As `find`. Raises 404."""
    found = find(connection, seat)
    if found is None:
        raise not_found("workspace")
    return found


def own(connection: Connection, principal: Principal, called: Called) -> Workspace:
    """The workspace of the member who asks, in the project that is named.

    Raises 403, 404 for a subscription of others, no such agent, workspace or project, 422, and 501 for a project where
    the harness has none.
    """
    seat = own_seat(connection, principal, called, "own_memory")
    require(connection, seat)
    return require(connection, in_project(connection, seat, called.project))


def projects(connection: Connection, workspace: Workspace) -> tuple[Project, ...]:
    """All of them, oldest first."""
    return store.projects(connection, workspace.seat.space_id, workspace.workspace_id)
