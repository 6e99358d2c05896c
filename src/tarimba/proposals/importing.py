"""Proposals of an export document: stored in parts, shown at once, or taken out again unseen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import bindparam, func, select, update

from tarimba.proposals import store
from tarimba.proposals.model import STATUSES, Proposal
from tarimba.storage import Tx
from tarimba.storage.tables import proposal

# Before the status while their import is not complete: nothing that reads shows them.
_PREFIX: Final = "importing_"
_C: Final = proposal.c
_OF_AGENT: Final = (_C.space_id == bindparam("of"), _C.source_id == bindparam("by"))
_HIDDEN: Final = _C.status.in_([_PREFIX + status for status in STATUSES])
_SHOW: Final = (
    update(proposal).where(*_OF_AGENT, _HIDDEN).values(status=func.substr(_C.status, len(_PREFIX) + 1))
)
_UNDO: Final = update(proposal).where(*_OF_AGENT, _HIDDEN).values(status=store.ERASED)
_ANY: Final = select(func.count()).select_from(proposal).where(*_OF_AGENT)


def take_in(tx: Tx, one: Proposal) -> None:
    """Stores a proposal as the newest of its space, not yet shown; nothing is announced."""
    hidden = replace(one, ordinal=tx.next_ordinal(), status=_PREFIX + one.status)
    store.add(tx, hidden, None)


def show_taken_in(tx: Tx, source_id: str) -> None:
    """Shows what was taken in for the agent."""
    tx.write(_SHOW, [{"of": tx.space_id, "by": source_id}])


def mark_undone(tx: Tx, source_id: str) -> None:
    """Marks as erased what was taken in for the agent and not shown."""
    tx.write(_UNDO, [{"of": tx.space_id, "by": source_id}])


def has_any(tx: Tx, source_id: str) -> bool:
    """Whether any proposal of the agent is stored, in whatever state."""
    return bool(tx.scalar(_ANY, {"of": tx.space_id, "by": source_id}))


def known_ids(tx: Tx, proposal_ids: Sequence[str]) -> bool:
    """Whether a proposal of the space has one of these ids."""
    mine = (_C.space_id == tx.space_id, _C.proposal_id.in_(proposal_ids))
    return tx.first(select(_C.proposal_id).where(*mine)) is not None
