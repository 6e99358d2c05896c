"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class IndexView(TypedDict):
    text: str
    etag: str
    left_out: int
    receipt_id: str


class SkillsMemberRequestsProblemView(TypedDict):
    line: int
    rule: str
    message: str
    fix: str


class SkillsMemberRequestsRowView(TypedDict):
    name: str
    directory: str
    origin: Literal["member", "shared", "managed"]
    description: str
    verdict: Literal["ok", "repaired", "quarantined"]
    hash: str | None
    shadowed: bool
    shadowed_by: str | None
    problems: list[SkillsMemberRequestsProblemView]


class RowsView(TypedDict):
    items: list[SkillsMemberRequestsRowView]
    left_out: int
    next_cursor: NotRequired[str]


class PieceView(TypedDict):
    path: str
    size: int
    hash: str | None
    is_text: bool


class SkillsMemberRequestsFilesView(TypedDict):
    name: str
    origin: Literal["member", "shared", "managed"]
    items: list[PieceView]
    more: bool


class DocView(TypedDict):
    path: str
    size: int
    hash: str | None
    is_text: bool
    name: str
    origin: Literal["member", "shared", "managed"]
    text: str | None
    verdict: Literal["ok", "repaired", "quarantined"] | None
    problems: list[SkillsMemberRequestsProblemView]


class SkillsMemberRequestsWrittenView(TypedDict):
    name: str
    path: str
    hash: str
    size: int
    verdict: Literal["ok", "repaired", "quarantined"] | None
    problems: list[SkillsMemberRequestsProblemView]


class DeletedView(TypedDict):
    name: str
    path: str | None


class FileEntry(TypedDict):
    path: str
    hash: str
    size: int


class SkillEntry(TypedDict):
    name: str
    content_hash: str
    published_at: str
    files: list[FileEntry]


class SetView(TypedDict):
    etag: str
    count: int
    items: list[SkillEntry]
    next_cursor: str | None
