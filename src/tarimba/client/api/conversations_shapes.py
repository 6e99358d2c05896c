"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class RefusedView(TypedDict):
    index: int
    code: str
    detail: str


class IgnoredView(TypedDict):
    items: int
    fields: int


class BatchView(TypedDict):
    accepted: int
    duplicates: int
    masked: dict[str, int]
    errors: NotRequired[list[RefusedView]]
    ignored: NotRequired[IgnoredView]


class ErasureView(TypedDict):
    request_id: str
    status: str
    target_kind: str
    target_id: str
    requested_at: str
    completed_at: NotRequired[str]


class ConversationsRequestsHandleBody(TypedDict):
    type: str
    value: str
    scope: NotRequired[str | None]
    subject_kind: NotRequired[str | None]


class IngestStatusAnswer(TypedDict):
    state: Literal["open", "ready", "unknown"]


class StartedView(TypedDict):
    open_until: str


class EndedView(TypedDict):
    ended: int
