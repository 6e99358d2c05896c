"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class GivenView(TypedDict):
    secret_id: str
    name: str
    subscription_id: str | None
    source_id: str | None
    created_at: str
    changed_at: str


class GivenListView(TypedDict):
    items: list[GivenView]
    next_cursor: NotRequired[str]


class WorkspacesSecretRequestsChangedView(TypedDict):
    secret_id: str
    name: str
    created_at: str
    changed_at: str


class WorkspacesSecretRequestsRemovedView(TypedDict):
    secret_id: str
    name: str


class WorkspacesSecretRequestsOwnView(TypedDict):
    name: str
    origin: Literal["own", "given"]
    hides: bool
    changed_at: str


class WorkspacesSecretRequestsOwnListView(TypedDict):
    items: list[WorkspacesSecretRequestsOwnView]
