"""Durable sessions end when the space keeps them no longer: so long after their last line.

No receipt is left: how long they are kept is a setting, whose change left one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import select

from tarimba.clock import DAY, HOUR, SECOND
from tarimba.confined import Confined, remove
from tarimba.errors import Refusal
from tarimba.identity import settings as space_settings
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.storage.tables import space
from tarimba.workspaces.locks import alone
from tarimba.workspaces.sessions import APART, ROOT, SUFFIX

_HOMES: Final = "subscriptions/*/agents/*/members/*"
_PIECE: Final = 50
_REST: Final = HOUR
_log = structlog.get_logger("tarimba.workspaces")


class Keeping:
    """Goes through the workspaces of this host's disk, a few at a time, for a process that asks every second.

    When it has been through all, it begins again an hour later.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._waiting: list[tuple[Path, int]] = []
        self._rests_from: int | None = None

    def piece(self) -> bool:
        """Whether there is more to look at."""
        now = self._kernel.clock.now_us()
        if not self._waiting:
            if self._rests_from is not None and 0 <= now - self._rests_from < _REST:
                return False
            self._rests_from = now
            self._waiting = _homes(self._kernel)
        part, self._waiting = self._waiting[:_PIECE], self._waiting[_PIECE:]
        for home, days in part:
            try:
                _end(home, (now - days * DAY) / SECOND)
            except (OSError, Refusal) as error:
                _log.warning("sessions.not_ended", error=type(error).__name__)
        return bool(self._waiting)


def _homes(kernel: Kernel) -> list[tuple[Path, int]]:
    """Each member's home with an agent, where the space ends sessions, and after how many days."""
    found: list[tuple[Path, int]] = []
    with kernel.database.read() as connection:
        for space_id in connection.scalars(select(space.c.space_id)):
            days = space_settings.load(connection, space_id).sessions_days
            if days and is_id(space_id):
                below = kernel.settings.data / "spaces" / space_id
                found += [(home, days) for home in sorted(below.glob(_HOMES))]
    return found


def _end(home: Path, before: float) -> None:
    with alone(home, "sessions"):
        for workspace in (*home.glob("workspace"), *home.glob("workspace-*")):
            _end_in(workspace, before)


def _end_in(workspace: Path, before: float) -> None:
    """Takes out the files that were last written before that moment, in seconds; those of the agent's own stay."""
    try:
        with Confined.at(workspace) as top, top.beneath(ROOT) as folder:
            for entry in folder.entries():
                key = entry.name.removesuffix(SUFFIX)
                is_over = entry.name.endswith(SUFFIX) and _written(folder, entry.name) < before
                if not is_over or entry.kind == "directory":
                    continue
                folder.unlink(entry.name)
                _take_out(folder, f"{key}{APART}")
    except FileNotFoundError:
        return


def _written(folder: Confined, name: str) -> float:
    return os.stat(name, dir_fd=folder.fileno(), follow_symlinks=False).st_mtime


def _take_out(folder: Confined, name: str) -> None:
    try:
        remove(folder.fileno(), name)
    except FileNotFoundError:
        return
