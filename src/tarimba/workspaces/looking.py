"""Whether the files of a workspace's memory are there, for those who may know that and no more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tarimba.confined import Confined
from tarimba.errors import Refusal
from tarimba.identity.seats import Seat
from tarimba.workspaces import places

_MAIN: Final = ("memory/MEMORY.md", "memory/MEMORY_CUSTOM.md")
_PROJECT: Final = ("memory/PROJECT.md", *_MAIN)


@dataclass(frozen=True, slots=True)
class Standing:
    """One file of memory. `project` is empty for the main workspace, `size` is 0 unless a regular file is there."""

    project: str
    path: str
    exists: bool
    size: int


def memory(data: Path, seat: Seat, projects: Sequence[str]) -> tuple[Standing, ...]:
    """The files of memory of a seat on this host: nothing of them is read."""
    found = list(_in_workspace(data, replace(seat, project=""), _MAIN))
    for project in projects:
        found += _in_workspace(data, replace(seat, project=project), _PROJECT)
    return tuple(found)


def _in_workspace(data: Path, seat: Seat, paths: Sequence[str]) -> Iterator[Standing]:
    try:
        workspace = Confined.at(places.folder(data, seat))
    except OSError:
        # It is not on this host.
        yield from (Standing(seat.project, path, exists=False, size=0) for path in paths)
        return
    with workspace:
        for path in paths:
            yield _standing(workspace, seat.project, path)


def _standing(workspace: Confined, project: str, path: str) -> Standing:
    with suppress(OSError, Refusal):
        entry = workspace.look(path)
        if entry.kind == "file":
            return Standing(project, path, exists=True, size=entry.size)
    return Standing(project, path, exists=False, size=0)
