"""The door of the slice: one function for each use case, and what taking a member's data along or out needs of it."""

from __future__ import annotations

from tarimba.workspaces.carrying import files_of, projects_of, secrets_of, versions_of, workspaces_of
from tarimba.workspaces.leaving import erase_rows, homes, take_out
from tarimba.workspaces.managing import create, list_workspaces, provision, read_workspace
from tarimba.workspaces.persona import read_persona, write_persona
from tarimba.workspaces.projects import NewProject, list_own
from tarimba.workspaces.projects import add as add_project
from tarimba.workspaces.projects import add_own as add_own_project

__all__ = [
    "NewProject", "add_own_project", "add_project", "create", "erase_rows", "files_of", "homes", "list_own",
    "list_workspaces", "projects_of", "provision", "read_persona", "read_workspace", "secrets_of", "take_out",
    "versions_of", "workspaces_of", "write_persona",
]  # fmt: skip
