"""The door of the slice: export, import, erase, and the jobs that finish what was begun."""

from __future__ import annotations

from tarimba.erasure.erasing import IMPORT, SCRUB, erase, scrub, undo
from tarimba.erasure.exporting import export
from tarimba.erasure.importing import import_notes

__all__ = ["IMPORT", "SCRUB", "erase", "export", "import_notes", "scrub", "undo"]
