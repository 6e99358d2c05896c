"""Which workspace is meant, and where it lies.

Paths are made of ids and of checked names of projects alone; nothing that a person types becomes one.

    <data>/<seat.home>/config.json              what the harness reads, config.toml where it reads that
    <data>/<seat.home>/workspace                the main workspace
    <data>/<seat.home>/workspace-<project>      those of projects, beside it
    <data>/<seat.home>/managed                  what is bound read-only into it, by its path in the workspace
    <data>/<seat.home>/managed-<project>        and into those
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import not_found
from tarimba.harnesses.service import Profile
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called, Seat, in_project, own_seat
from tarimba.workspaces import store
from tarimba.workspaces.model import Project, Workspace

__all__ = [
    "MANAGED",
    "Project",
    "Workspace",
    "config",
    "config_name",
    "find",
    "folder",
    "folder_name",
    "home",
    "managed",
    "managed_name",
    "own",
    "projects",
    "require",
]

MANAGED: Final = "managed"
_WORKSPACE: Final = "workspace"


def home(data: Path, seat: Seat) -> Path:
    """The folder that holds all of a member's with an agent. The agent sees none of it but what is bound."""
    return data / seat.home


def folder(data: Path, seat: Seat) -> Path:
    """The main workspace, or that of `seat.project`."""
    return home(data, seat) / folder_name(seat.project)


def folder_name(project: str) -> str:
    """The name of that folder in the home of a seat."""
    return _of_project(_WORKSPACE, project)


def managed(data: Path, seat: Seat) -> Path:
    """The host's side of the files that are bound read-only into `folder`; each has its path there."""
    return home(data, seat) / managed_name(seat.project)


def managed_name(project: str) -> str:
    """The name of that folder in the home of a seat."""
    return _of_project(MANAGED, project)


def config(data: Path, seat: Seat) -> Path:
    """What the harness reads, outside of the agent's tree, bound read-only at `profile.config`."""
    return home(data, seat) / config_name(seat.profile)


def config_name(profile: Profile) -> str:
    """The name of that file in the home of a seat."""
    return f"config.{profile.config_format}"


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


def _of_project(name: str, project: str) -> str:
    return f"{name}-{project}" if project else name
