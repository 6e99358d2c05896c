"""Workspaces as administrators see them: which there are, what stands in each, never what a member keeps there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import Refusal, invalid, not_found
from tarimba.harnesses.service import McpServer
from tarimba.identity.changes import commit_change, done, leave
from tarimba.identity.listing import Page, Window
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called, Seat, member_named, seat_named
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey
from tarimba.workspaces import looking, places, provisioning, store
from tarimba.workspaces.looking import Standing
from tarimba.workspaces.model import Entry, Project, Workspace
from tarimba.workspaces.mounts import Bind, binds
from tarimba.workspaces.provisioning import Present

_ACT: Final = "workspaces"
_READ: Final = "read_workspaces"
_CHANGE: Final = "workspace.change"
_RESTART: Final = "restart"


@dataclass(frozen=True, slots=True)
class Listed:
    """`is_stale`: a container that was started at the last provisioning shows what is no longer so.

    `projects` counts them.
    """

    entry: Entry
    is_stale: bool
    projects: int

    @property
    def ordinal(self) -> int:
        return self.entry.ordinal


@dataclass(frozen=True, slots=True)
class Detail:
    """One workspace: its projects, whether files of memory are there, and its server of the graph if it has one.

    `binds` are those of the main workspace; None where they could not be mounted on this host as it is.
    """

    listed: Listed
    projects: tuple[Project, ...]
    memory: tuple[Standing, ...]
    binds: tuple[Bind, ...] | None
    server: McpServer | None
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a change left. `blocked` are paths of ours at which the agent has something else."""

    done: Done
    blocked: tuple[str, ...]

    @property
    def restart(self) -> bool:
        """Whether a container that runs shows older documents or an older configuration."""
        return bool(self.done.ids.get(_RESTART))


def create(kernel: Kernel, principal: Principal, called: Called, once_key: OnceKey | None = None) -> Outcome:
    """Makes the workspace of a member with an agent and provisions it; one that is there is provisioned again.

    Ids: `workspace_id`. Status 201 when it is new, else 200. Raises 403, 404, 409, 422 where a part is not named, 503.
    """
    allow(principal, _ACT)
    if not called.member:
        raise invalid("member", "is required")
    with kernel.database.read() as connection:
        seat = seat_named(connection, principal.space_id, called)
    made = commit_change(kernel, principal, _ACT, once_key, lambda tx: put(tx, principal, seat))
    # Its second part, which is done once as well.
    second = None if once_key is None else replace(once_key, route=f"{once_key.route} provision")
    found = _find(kernel, principal.space_id, made.ids["workspace_id"])
    settled = _provision(kernel, principal, found, second)
    return Outcome(settled.done if made.seq is None else made, settled.blocked)


def put(tx: Tx, by: Principal, seat: Seat) -> Done:
    """The row of a seat's workspace, made if there is none. Raises 404 for who is no member any more."""
    before = store.of_seat(tx.connection, seat)
    if before is not None:
        return done(200, None, workspace_id=before.workspace_id)
    if member_named(tx.connection, tx.space_id, seat.subscription_id, seat.person_id) is None:
        raise not_found("member")
    made = Workspace(new_id(), replace(seat, project=""), tx.now, 0, "", tx.next_ordinal())
    store.add(tx, made)
    recorded = leave(tx, by, _CHANGE, objects_of(made), {"change": "create"}, agent=seat.source_id)
    return done(201, recorded, workspace_id=made.workspace_id)


def provision(
    kernel: Kernel, principal: Principal, workspace_id: str, once_key: OnceKey | None = None
) -> Outcome:
    """Brings a workspace on this host's disk to what it should be, as it is done before a container is started.

    Ids: `workspace_id`. Raises 403, 404, 409, 501 and 503.
    """
    allow(principal, _ACT)
    found = _find(kernel, principal.space_id, workspace_id)
    return _provision(kernel, principal, found, once_key)


def list_workspaces(kernel: Kernel, principal: Principal, called: Called, window: Window) -> Page[Listed]:
    """Workspaces, oldest first, of the subscription, agent and member that are named by slug or id. Raises 403."""
    allow(principal, _READ)
    with kernel.database.read() as connection:
        page = store.entries(connection, principal.space_id, called, window)
        present = Present(kernel, connection)
        ids = [one.workspace.workspace_id for one in page.items]
        counts = store.project_counts(connection, principal.space_id, ids)
        items = tuple(
            Listed(one, present.is_stale(one.workspace), counts.get(one.workspace.workspace_id, 0))
            for one in page.items
        )
    return Page(items, page.ends_at)


def read_workspace(kernel: Kernel, principal: Principal, workspace_id: str) -> Detail:
    """Raises 403 and 404."""
    allow(principal, _READ)
    found = _find(kernel, principal.space_id, workspace_id)
    with kernel.database.read() as connection:
        listed = _listed(kernel, connection, found)
        projects = places.projects(connection, found.workspace)
        server = provisioning.server_of(kernel, connection, found.workspace.seat)
    data, seat = kernel.settings.data, found.workspace.seat
    memory = looking.memory(data, seat, [one.project for one in projects])
    detail = {"read": "workspace", "projects": len(projects)}
    objects = objects_of(found.workspace)
    receipt = Receipt("workspace.read", principal.actor, principal.via, seat.source_id, objects, detail)
    recorded = record_read(kernel.writer, principal.space_id, receipt)
    return Detail(listed, projects, memory, _binds(data, seat), server, recorded)


def find(kernel: Kernel, principal: Principal, workspace_id: str) -> Listed:
    """As it stands now, for who may read it or was just told of it. Raises 404."""
    found = _find(kernel, principal.space_id, workspace_id)
    with kernel.database.read() as connection:
        return _listed(kernel, connection, found)


def start(kernel: Kernel, principal: Principal, seat: Seat) -> Outcome:
    """Provisions the workspace of a seat for a container that is about to be started. Raises as `provision` does."""
    with kernel.database.read() as connection:
        workspace_id = places.require(connection, seat).workspace_id
    return provision(kernel, principal, workspace_id)


def objects_of(workspace: Workspace) -> dict[str, str]:
    """The ids that receipts name."""
    return workspace.seat.objects | {"workspace_id": workspace.workspace_id}


def _binds(data: Path, seat: Seat) -> tuple[Bind, ...] | None:
    try:
        return binds(data, seat)
    except (OSError, Refusal):
        return None


def _provision(
    kernel: Kernel, principal: Principal, found: Entry, once_key: OnceKey | None = None
) -> Outcome:
    workspace = found.workspace
    made = provisioning.provision(kernel, workspace)
    restarts = bool(workspace.provisioned) and (made.changed or made.digest != workspace.provisioned)

    def work(tx: Tx) -> Done:
        store.mark(tx, workspace.workspace_id, made.digest)
        detail = {"change": "provision", "digest": made.digest, "blocked": len(made.blocked)}
        seat = workspace.seat
        recorded = leave(tx, principal, _CHANGE, objects_of(workspace), detail, agent=seat.source_id)
        return done(200, recorded, workspace_id=workspace.workspace_id, **{_RESTART: "1" if restarts else ""})

    return Outcome(commit_change(kernel, principal, _ACT, once_key, work), made.blocked)


def _find(kernel: Kernel, space_id: str, workspace_id: str) -> Entry:
    with kernel.database.read() as connection:
        found = store.by_id(connection, space_id, workspace_id)
    if found is None:
        raise not_found("workspace")
    return found


def _listed(kernel: Kernel, connection: Connection, entry: Entry) -> Listed:
    workspace = entry.workspace
    count = store.project_count(connection, workspace.seat.space_id, workspace.workspace_id)
    return Listed(entry, Present(kernel, connection).is_stale(workspace), count)
