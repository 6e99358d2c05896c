"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import NotRequired, TypedDict


class SharedFileView(TypedDict):
    scope: str
    subscription_id: str | None
    source_id: str | None
    file_id: str
    path: str
    version: int
    hash: str
    size: int
    published_at: str
    published_by: str


class SharedFilesView(TypedDict):
    items: list[SharedFileView]
    next_cursor: NotRequired[str]


class SharedNowView(TypedDict):
    scope: str
    subscription_id: str | None
    source_id: str | None
    file_id: str
    path: str
    version: int
    hash: str
    size: int
    published_at: str
    published_by: str
    is_new: bool


class UnsharedView(TypedDict):
    file_id: str
