"""Projects: each a workspace of its own beside the main one, with its own memory and its own `public/`."""

from __future__ import annotations

from dataclasses import dataclass

from tarimba.errors import Refusal, not_found
from tarimba.harnesses.service import require
from tarimba.identity.changes import commit_change, done, leave
from tarimba.identity.listing import Page, Window
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey
from tarimba.workspaces import places, provisioning, store
from tarimba.workspaces.managing import Outcome, objects_of
from tarimba.workspaces.model import Entry, Project, Workspace
from tarimba.workspaces.rules import PROJECTS_MAX, checked_project


@dataclass(frozen=True, slots=True)
class NewProject:
    """`name` is for people, empty for the id."""

    project: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Own:
    """A workspace as its member sees it."""

    entry: Entry
    projects: tuple[Project, ...]


@dataclass(frozen=True, slots=True)
class OwnPage:
    page: Page[Entry]
    items: tuple[Own, ...]
    receipt: Recorded


def list_own(kernel: Kernel, principal: Principal, window: Window) -> OwnPage:
    """The workspaces of the member who asks, oldest first. Raises 403."""
    allow(principal, "own_memory")
    with kernel.database.read() as connection:
        page = store.own_entries(connection, principal.space_id, principal.id, window)
        items = tuple(Own(one, places.projects(connection, one.workspace)) for one in page.items)
    detail = {"read": "own", "listed": len(items)}
    receipt = Receipt(
        "workspace.read", principal.actor, principal.via, None, {"person_id": principal.id}, detail
    )
    return OwnPage(page, items, record_read(kernel.writer, principal.space_id, receipt))


def add_own(
    kernel: Kernel, principal: Principal, called: Called, new: NewProject, once_key: OnceKey | None = None
) -> Outcome:
    """A project of the member who asks; one that is there stays as it is.

    Ids: `workspace_id`, `project`. Status 201 when it is new, else 200. Raises 403, 404, 409, 422, 501 and 503.
    """
    with kernel.database.read() as connection:
        workspace = places.own(connection, principal, Called(called.subscription, called.agent))
    return _add(kernel, principal, "own_memory", workspace, new, once_key)


def add(
    kernel: Kernel,
    principal: Principal,
    workspace_id: str,
    new: NewProject,
    once_key: OnceKey | None = None,
) -> Outcome:
    """As `add_own`, in anybody's workspace, by an administrator."""
    allow(principal, "workspaces")
    with kernel.database.read() as connection:
        found = store.by_id(connection, principal.space_id, workspace_id)
    if found is None:
        raise not_found("workspace")
    return _add(kernel, principal, "workspaces", found.workspace, new, once_key)


def put(tx: Tx, by: Principal, workspace: Workspace, new: NewProject) -> Done:
    """The row of a project, made if there is none. Raises 409 when there are too many."""
    ids = {"workspace_id": workspace.workspace_id, "project": new.project}
    if store.project_named(tx.connection, tx.space_id, workspace.workspace_id, new.project) is not None:
        return done(200, None, **ids)
    if store.project_count(tx.connection, tx.space_id, workspace.workspace_id) >= PROJECTS_MAX:
        raise Refusal("conflict", f"This workspace has {PROJECTS_MAX} projects already.")
    made = Project(workspace.workspace_id, new.project, new.name or new.project, tx.now, tx.next_ordinal())
    store.add_project(tx, made)
    source_id = workspace.seat.source_id
    detail = {"change": "project"}
    recorded = leave(tx, by, "workspace.change", objects_of(workspace), detail, agent=source_id)
    return done(201, recorded, **ids)


def read_project(kernel: Kernel, space_id: str, workspace_id: str, project: str) -> Project:
    """Raises 404."""
    with kernel.database.read() as connection:
        found = store.project_named(connection, space_id, workspace_id, project)
    if found is None:
        raise not_found("project")
    return found


def _add(
    kernel: Kernel,
    principal: Principal,
    act: str,
    workspace: Workspace,
    new: NewProject,
    once_key: OnceKey | None,
) -> Outcome:
    require(workspace.seat.profile, "projects", workspace.seat.agent)
    checked_project("project", new.project)
    made = commit_change(kernel, principal, act, once_key, lambda tx: put(tx, principal, workspace, new))
    return Outcome(made, provisioning.provision_project(kernel, workspace, new.project))
