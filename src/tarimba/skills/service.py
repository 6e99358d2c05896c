"""The door of the slice: one function for each use case, and what others need of it."""

from __future__ import annotations

from tarimba.skills.indexing import of_seat
from tarimba.skills.offering import Offered, OfferedFile, list_offered, read_file, read_offered
from tarimba.skills.records import File, Published

__all__ = [
    "File", "Offered", "OfferedFile", "Published", "list_offered", "of_seat", "read_file", "read_offered",
]  # fmt: skip
