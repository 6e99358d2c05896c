"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class WorkspacesMemoryRequestsFoundView(TypedDict):
    version: int
    from_version: int | None
    diff: str
    is_cut: bool


class MemoryView(TypedDict):
    file: Literal["MEMORY_CUSTOM.md", "MEMORY.md", "PROJECT.md"]
    text: str
    is_text: bool
    etag: str
    size: int
    version: int | None
    changed_on_disk: WorkspacesMemoryRequestsFoundView | None


class WorkspacesMemoryRequestsWrittenView(TypedDict):
    etag: str
    size: int
    version: int


class VersionView(TypedDict):
    version: int
    etag: str
    size: int
    origin: Literal["server", "disk"]
    created_at: str


class WorkspacesMemoryRequestsVersionsView(TypedDict):
    items: list[VersionView]


class OldTextView(TypedDict):
    version: int
    etag: str
    size: int
    origin: Literal["server", "disk"]
    created_at: str
    text: str


class WorkspacesMemoryRequestsFileView(TypedDict):
    name: str
    path: str | None
    kind: Literal["file", "directory", "other"]
    size: int
    modified_at: str


class WorkspacesMemoryRequestsFilesView(TypedDict):
    items: list[WorkspacesMemoryRequestsFileView]
    left_out: bool
    next_cursor: NotRequired[str]
