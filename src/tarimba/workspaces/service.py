"""The door of the slice: one function for each use case."""

from __future__ import annotations

from tarimba.workspaces.managing import create, list_workspaces, provision, read_workspace
from tarimba.workspaces.persona import read_persona, write_persona
from tarimba.workspaces.projects import add as add_project
from tarimba.workspaces.projects import add_own as add_own_project
from tarimba.workspaces.projects import list_own

__all__ = [
    "add_own_project", "add_project", "create", "list_own", "list_workspaces", "provision", "read_persona",
    "read_workspace", "write_persona",
]  # fmt: skip
