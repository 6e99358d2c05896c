"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class WorkspaceView(TypedDict):
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


class WorkspacesViewsWorkspacesView(TypedDict):
    items: list[WorkspaceView]
    next_cursor: NotRequired[str]


class WorkspacesViewsChangedView(TypedDict):
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
    restart: bool
    blocked: list[str]


class ProjectView(TypedDict):
    workspace_id: str
    project: str
    name: str
    created_at: str


class MemoryFileView(TypedDict):
    project: str
    path: str
    exists: bool
    size: int


class MountView(TypedDict):
    target: str
    read_only: bool


class DetailView(TypedDict):
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
    projects: list[ProjectView]
    features: list[str]
    memory: list[MemoryFileView]
    mounts: list[MountView] | None
    config: str
    server: dict[str, Any] | None


class ProjectNowView(TypedDict):
    workspace_id: str
    project: str
    name: str
    created_at: str
    blocked: list[str]


class WorkspacesViewsOwnView(TypedDict):
    workspace_id: str
    subscription: str
    subscription_id: str
    agent: str
    source_id: str
    harness: str
    features: list[str]
    projects: list[ProjectView]
    created_at: str


class WorkspacesViewsOwnListView(TypedDict):
    items: list[WorkspacesViewsOwnView]
    next_cursor: NotRequired[str]
