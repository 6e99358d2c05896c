"""The door of the slice: export, import, erase, and finishing what a dead process left behind."""

from __future__ import annotations

from tarimba.erasure.erasing import erase, resume
from tarimba.erasure.exporting import export
from tarimba.erasure.importing import import_notes

__all__ = ["erase", "export", "import_notes", "resume"]
