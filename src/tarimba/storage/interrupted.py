"""A restore that died between taking the old away and having put the new in its place: nothing may be served then."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tarimba.storage.engine import DatabaseError

STAGING: Final = ".restoring"
_PLACING: Final = "placing"


def mark_of(data: Path) -> Path:
    """The file that stands while a restore puts things in their places."""
    return data / STAGING / _PLACING


def require_whole(data: Path) -> None:
    """Raises `DatabaseError` when a restore into this data folder was interrupted at that."""
    if mark_of(data).exists():
        raise DatabaseError(
            "A restore into this data folder was interrupted: run `tarimba restore` again, as nothing here is whole."
        )
