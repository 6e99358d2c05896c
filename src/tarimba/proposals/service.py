"""The door of the slice: what waits for a person, from state to state, and how it is read, kept and removed."""

from __future__ import annotations

from sqlalchemy import Connection

from tarimba.ids import is_id
from tarimba.proposals import store
from tarimba.proposals.importing import has_any, known_ids, mark_undone, show_taken_in, take_in
from tarimba.proposals.model import Proposal
from tarimba.proposals.reading import leave_read, list_proposals, readable
from tarimba.proposals.scrubbing import scrub_due
from tarimba.proposals.states import decide, fail_draft, propose, require_pending, settle_draft
from tarimba.proposals.store import after, count_of, delete_of, mark_erased, waiting_about
from tarimba.proposals.wire import proposal_json, text_json
from tarimba.storage import Tx

__all__ = [
    "after", "count_of", "decide", "delete_of", "fail_draft", "find", "has_any", "known_ids", "leave_read",
    "list_proposals", "mark_erased", "mark_undone", "open_about", "proposal_json", "propose", "readable",
    "require_pending", "scrub_due", "settle_draft", "show_taken_in", "take_in", "text_json", "waiting_about",
]  # fmt: skip


def find(connection: Connection, space_id: str, proposal_id: str) -> Proposal | None:
    """One proposal in whatever state; None for what does not exist or was erased."""
    return store.find(connection, space_id, proposal_id) if is_id(proposal_id) else None


def open_about(
    connection_or_tx: Connection | Tx, space_id: str, about_mac: str, source_id: str
) -> Proposal | None:
    """The distillation for this agent of what `about_mac` commits to that is drafting or pending."""
    connection = connection_or_tx.connection if isinstance(connection_or_tx, Tx) else connection_or_tx
    return store.open_about(connection, space_id, about_mac, source_id)
