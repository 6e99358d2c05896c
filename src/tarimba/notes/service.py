"""The door of the slice: one function for each use case.

Every one takes the kernel and the caller, raises `Refusal`, and leaves the receipt of the access before it
answers.
"""

from __future__ import annotations

from tarimba.notes.changes import add_chain, add_version, index, known_ids
from tarimba.notes.offering import tools
from tarimba.notes.preparing import prepare, settle_evidence
from tarimba.notes.reading import get, list_notes, versions
from tarimba.notes.retiring import record_outcome, retire
from tarimba.notes.rules import content_hash
from tarimba.notes.searching import search
from tarimba.notes.wire import caution_json, moment, note_json
from tarimba.notes.writing import create, edit

__all__ = [
    "add_chain", "add_version", "caution_json", "content_hash", "create", "edit", "get", "index", "known_ids",
    "list_notes", "moment", "note_json", "prepare", "record_outcome", "retire", "search", "settle_evidence",
    "tools", "versions",
]  # fmt: skip
