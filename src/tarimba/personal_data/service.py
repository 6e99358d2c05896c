"""The door of the slice: one verdict for a note, and what a space tells about its words and customers."""

from __future__ import annotations

from tarimba.personal_data.knowledge import MovedError, bump, every_knowledge, is_same, require_same
from tarimba.personal_data.space_layers import check, known_by

__all__ = ["MovedError", "bump", "check", "every_knowledge", "is_same", "known_by", "require_same"]
