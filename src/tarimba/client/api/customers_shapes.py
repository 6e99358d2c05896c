"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class VerificationAnswer(TypedDict):
    requested: Literal["V0", "V1", "V2", "V3", "V4", "no_customer"]
    effective: Literal["V0", "V1", "V2", "V3", "V4", "no_customer"]


class ContextAnswer(TypedDict):
    text: NotRequired[str]
    version: str
    etag: str
    verification: VerificationAnswer
    path: str
    not_modified: NotRequired[bool]


class ObjectBody(TypedDict):
    type: str
    namespace: str
    id: str


class TargetBody(TypedDict):
    provider: str
    model: str


class NothingAnswer(TypedDict):
    pass


class ItemAnswer(TypedDict):
    id: str
    kind: str
    text: str
    at: str


class HistoryAnswer(TypedDict):
    items: list[ItemAnswer]
    next_cursor: NotRequired[str]
    ignored: NotRequired[list[str]]


class FiltersBody(TypedDict):
    since: NotRequired[str | None]
    until: NotRequired[str | None]
    channels: NotRequired[list[str] | None]
    item_kinds: NotRequired[list[str] | None]
    when: NotRequired[str | None]
    categories: NotRequired[list[str] | None]
    item_statuses: NotRequired[list[str] | None]
    outcome: NotRequired[str | None]
    object: NotRequired[ObjectBody | None]
    show_expired: NotRequired[bool | None]
    where: NotRequired[dict[str, Any] | None]


class OpenedAnswer(TypedDict):
    id: str
    kind: str
    summary: str


class SubjectTokenAnswer(TypedDict):
    token: str
    expires_at: str
