"""The door of the slice: one verdict for a note, masks for turns, and what a space tells about words and customers."""

from __future__ import annotations

from tarimba.personal_data.credentials import find_credentials
from tarimba.personal_data.handles import HANDLE_TYPES
from tarimba.personal_data.knowledge import MovedError, bump, every_knowledge, is_same, require_same
from tarimba.personal_data.learned import hashed_handle, learn, reassign, unlearn
from tarimba.personal_data.masking import flagged, mask
from tarimba.personal_data.probing import Probe, probe
from tarimba.personal_data.space_layers import check, known_by
from tarimba.personal_data.vocabulary_rules import REASONS

__all__ = [
    "HANDLE_TYPES", "REASONS", "MovedError", "Probe", "bump", "check", "every_knowledge", "find_credentials", "flagged",
    "hashed_handle", "is_same", "known_by", "learn", "mask", "probe", "reassign", "require_same", "unlearn",
]  # fmt: skip
