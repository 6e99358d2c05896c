"""What a project may be called, and whether somebody has seen what they change. Pure."""

from __future__ import annotations

import re
from typing import Final

from tarimba.errors import Refusal, invalid

PROJECT: Final = r"^[a-z0-9][a-z0-9_-]{0,63}$"
PROJECTS_MAX: Final = 100
_PROJECT: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def checked_project(field: str, project: str) -> str:
    """The id of a project, which names its folder. Raises 422."""
    if _PROJECT.fullmatch(project) is None:
        raise invalid(field, "must be 1 to 64 of a-z, 0-9, _ and -, and begin with a letter or a digit")
    return project


def require_match(header: str | None, present: str) -> None:
    """Raises 412 unless the If-Match of a caller names what is there (RFC 9110, section 13.1.1)."""
    if header is None:
        return
    named = {part.strip().removeprefix("W/").strip('"') for part in header.split(",")}
    if named.isdisjoint({"*", present}):
        raise Refusal("precondition_failed", "If-Match does not name this version: read it again.")
