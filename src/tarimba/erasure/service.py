"""The door of the slice: export, import, erase, and the jobs that finish what was begun."""

from __future__ import annotations

from tarimba.erasure.erasing import IMPORT, SCRUB, erase, scrub, undo
from tarimba.erasure.exporting import export
from tarimba.erasure.importing import import_notes
from tarimba.erasure.member_erasing import ERASE_MEMBER, erase_member, scrub_member
from tarimba.erasure.member_exporting import export_member

__all__ = [
    "ERASE_MEMBER", "IMPORT", "SCRUB", "erase", "erase_member", "export", "export_member", "import_notes", "scrub",
    "scrub_member", "undo",
]  # fmt: skip
