"""What a workspace is, and a project of it. Frozen values; times are microseconds."""

from __future__ import annotations

from dataclasses import dataclass

from tarimba.identity.seats import Seat


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
