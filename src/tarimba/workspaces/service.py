"""The door of the slice: one function for each use case, and what taking a member's data along or out needs of it."""

from __future__ import annotations

from tarimba.workspaces.carrying import files_of, projects_of, secrets_of, versions_of, workspaces_of
from tarimba.workspaces.leaving import erase_rows, homes, take_out
from tarimba.workspaces.managing import Detail, create, list_workspaces, provision, read_workspace
from tarimba.workspaces.persona import Persona, read_persona, write_persona
from tarimba.workspaces.projects import NewProject, list_own
from tarimba.workspaces.projects import add as add_project
from tarimba.workspaces.projects import add_own as add_own_project
from tarimba.workspaces.secret_changes import list_given as list_given_secrets
from tarimba.workspaces.secret_changes import put_given as put_given_secret
from tarimba.workspaces.secret_changes import remove_given as remove_given_secret

__all__ = [
    "Detail", "NewProject", "Persona", "add_own_project", "add_project", "create", "erase_rows", "files_of",
    "homes", "list_given_secrets", "list_own", "list_workspaces", "projects_of", "provision", "put_given_secret",
    "read_persona", "read_workspace", "remove_given_secret", "secrets_of", "take_out", "versions_of",
    "workspaces_of", "write_persona",
]  # fmt: skip
