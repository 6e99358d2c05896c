"""What a workspace is, and a project of it. Frozen values; times are microseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tarimba.identity.seats import Seat

Origin = Literal["server", "disk"]
"""Who wrote a version: somebody through the server, or whoever else, found on the disk afterwards."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """The workspace of a seat. `seat.project` names the project that is meant, empty for the main workspace.

    `provisioned` is the digest of what was mounted and configured when it was last provisioned, empty when it never
    was; `provisioned_at` is 0 then. `ordinal` is its place in lists.
    """

    workspace_id: str
    seat: Seat
    created_at: int
    provisioned_at: int
    provisioned: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class Project:
    """A project of a member with an agent: `project` names its folder, `name` is for people."""

    workspace_id: str
    project: str
    name: str
    created_at: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """A version of a member's notes. `hash` is the SHA-256 of the file, `size` its bytes."""

    version: int
    hash: str
    size: int
    origin: Origin
    created_at: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A workspace as a list names it: `subscription` and `member` are slugs, that of the agent is the seat's."""

    workspace: Workspace
    subscription: str
    member: str

    @property
    def ordinal(self) -> int:
        return self.workspace.ordinal


@dataclass(frozen=True, slots=True)
class PersonaDocument:
    """One document of who an agent is. `hash` is the SHA-256 of its UTF-8 bytes."""

    name: str
    text: str
    hash: str
    changed_at: int
