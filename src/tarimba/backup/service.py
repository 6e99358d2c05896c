"""The door of the slice: taking a backup, checking one, restoring one, and the journal of what ended since."""

from __future__ import annotations

from tarimba.backup.archive import ArchiveError
from tarimba.backup.journaling import Journal
from tarimba.backup.placing import Site, place, require_free
from tarimba.backup.settling import Settled, UnsoundError, checkpoints_in, settle
from tarimba.backup.staging import Staged, check, staged
from tarimba.backup.taking import take

__all__ = [
    "ArchiveError", "Journal", "Settled", "Site", "Staged", "UnsoundError", "check", "checkpoints_in", "place",
    "require_free", "settle", "staged", "take",
]  # fmt: skip
