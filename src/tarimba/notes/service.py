"""The door of the slice: one function for each use case, and the parts that erasing and importing need.

A use case takes the kernel and the caller, raises `Refusal`, and leaves the receipt of the access before it
answers.
"""

from __future__ import annotations

from tarimba.notes.caps import take_write
from tarimba.notes.changes import add_chain, add_version, index, known_ids, move_head, set_status, unindex
from tarimba.notes.checking import check
from tarimba.notes.deciding import Decision, decide, decide_all
from tarimba.notes.delivering import Delivered, delivered
from tarimba.notes.history import versions_after
from tarimba.notes.neighbours import similar
from tarimba.notes.offering import tools
from tarimba.notes.preparing import flagged, prepare, prepare_line, settle_evidence
from tarimba.notes.reading import get, is_altered, list_notes, outcomes, versions
from tarimba.notes.rescanning import KIND as RESCAN
from tarimba.notes.rescanning import RescanOrders, order_rescan, rescan, scan
from tarimba.notes.retiring import record_outcome, retire
from tarimba.notes.reviewing import read as read_proposal
from tarimba.notes.rules import content_hash, require_on
from tarimba.notes.searching import search
from tarimba.notes.standing import Standing, standing
from tarimba.notes.store import active_count, owner, version
from tarimba.notes.wire import caution_json, moment, note_json
from tarimba.notes.writing import create, edit

__all__ = [
    "RESCAN", "Decision", "Delivered", "RescanOrders", "Standing", "active_count", "add_chain",
    "add_version", "caution_json", "check", "content_hash", "create", "decide", "decide_all",
    "delivered", "edit", "flagged", "get", "index", "is_altered", "known_ids", "list_notes", "moment", "move_head",
    "note_json", "order_rescan", "outcomes",
    "owner", "prepare", "prepare_line", "read_proposal", "record_outcome", "require_on", "rescan",
    "retire", "scan", "search", "set_status", "settle_evidence", "similar", "standing", "take_write",
    "tools", "unindex", "version", "versions", "versions_after",
]  # fmt: skip
