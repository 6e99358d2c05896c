"""The JSON of workspaces, projects and personas: as the API and the command line show them."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from tarimba.clock import rfc3339
from tarimba.harnesses.service import masked
from tarimba.workspaces.managing import Detail, Listed, Outcome
from tarimba.workspaces.model import Project
from tarimba.workspaces.mounts import Bind
from tarimba.workspaces.persona import Persona
from tarimba.workspaces.projects import Own


class WorkspaceView(TypedDict):
    """`restart_required`: a container that was started when it was last provisioned shows what is no longer so."""

    workspace_id: str
    subscription: str
    subscription_id: str
    agent: str
    source_id: str
    member: str
    person_id: str
    harness: str
    created_at: str
    provisioned_at: str | None
    restart_required: bool


class WorkspacesView(TypedDict):
    items: list[WorkspaceView]
    next_cursor: NotRequired[str]


class ChangedView(WorkspaceView):
    """`restart`: a container that runs now shows older documents or an older configuration.

    `blocked` are paths of the server's own at which something else stands; it was left there.
    """

    restart: bool
    blocked: list[str]


class ProjectView(TypedDict):
    workspace_id: str
    project: str
    name: str
    created_at: str


class ProjectNowView(ProjectView):
    """`blocked` are paths of the server's own at which something else stands; it was left there."""

    blocked: list[str]


class MemoryFileView(TypedDict):
    """A file of memory on this host, without anything of what is in it. `project` is empty for the main workspace."""

    project: str
    path: str
    exists: bool
    size: int


class MountView(TypedDict):
    target: str
    read_only: bool


class DetailView(WorkspaceView):
    """`config` is where the harness reads its configuration; `server` our entry in it, its headers masked.

    `mounts` are those of the main workspace, null where they could not be mounted on this host as it is.
    """

    projects: list[ProjectView]
    features: list[str]
    memory: list[MemoryFileView]
    mounts: list[MountView] | None
    config: str
    server: dict[str, Any] | None


class OwnView(TypedDict):
    """`features` are what the agent's harness can serve."""

    workspace_id: str
    subscription: str
    subscription_id: str
    agent: str
    source_id: str
    harness: str
    features: list[str]
    projects: list[ProjectView]
    created_at: str


class OwnListView(TypedDict):
    items: list[OwnView]
    next_cursor: NotRequired[str]


class PersonaDocumentView(TypedDict):
    """`hash` is the SHA-256 of the text, `size` its bytes."""

    text: str
    hash: str
    size: int
    changed_at: str


class PersonaView(TypedDict):
    """The documents that are not empty, by name."""

    source_id: str
    etag: str
    documents: dict[str, PersonaDocumentView]


def workspace_view(listed: Listed) -> WorkspaceView:
    entry, workspace = listed.entry, listed.entry.workspace
    seat, at = workspace.seat, workspace.provisioned_at
    return {
        "workspace_id": workspace.workspace_id,
        "subscription": entry.subscription,
        "subscription_id": seat.subscription_id,
        "agent": seat.agent,
        "source_id": seat.source_id,
        "member": entry.member,
        "person_id": seat.person_id,
        "harness": seat.profile.name,
        "created_at": rfc3339(workspace.created_at),
        "provisioned_at": rfc3339(at) if at else None,
        "restart_required": listed.is_stale,
    }


def changed_view(listed: Listed, made: Outcome) -> ChangedView:
    return {**workspace_view(listed), "restart": made.restart, "blocked": list(made.blocked)}


def detail_view(found: Detail) -> DetailView:
    profile = found.listed.entry.workspace.seat.profile
    return {
        **workspace_view(found.listed),
        "projects": [project_view(one) for one in found.projects],
        "features": sorted(profile.features),
        "memory": [
            {"project": one.project, "path": one.path, "exists": one.exists, "size": one.size}
            for one in found.memory
        ],
        "mounts": None if found.binds is None else [_mount(one) for one in found.binds],
        "config": profile.config,
        "server": None if found.server is None else masked(profile, found.server),
    }


def _mount(bind: Bind) -> MountView:
    return {"target": str(bind.target), "read_only": bind.read_only}


def project_view(one: Project) -> ProjectView:
    return {
        "workspace_id": one.workspace_id,
        "project": one.project,
        "name": one.name,
        "created_at": rfc3339(one.created_at),
    }


def project_now_view(one: Project, made: Outcome) -> ProjectNowView:
    return {**project_view(one), "blocked": list(made.blocked)}


def own_view(own: Own) -> OwnView:
    workspace = own.entry.workspace
    return {
        "workspace_id": workspace.workspace_id,
        "subscription": own.entry.subscription,
        "subscription_id": workspace.seat.subscription_id,
        "agent": workspace.seat.agent,
        "source_id": workspace.seat.source_id,
        "harness": workspace.seat.profile.name,
        "features": sorted(workspace.seat.profile.features),
        "projects": [project_view(one) for one in own.projects],
        "created_at": rfc3339(workspace.created_at),
    }


def persona_view(persona: Persona) -> PersonaView:
    documents: dict[str, PersonaDocumentView] = {
        one.name: {
            "text": one.text,
            "hash": one.hash,
            "size": len(one.text.encode()),
            "changed_at": rfc3339(one.changed_at),
        }
        for one in persona.documents
    }
    return {"source_id": persona.source_id, "etag": persona.etag, "documents": documents}
