"""Retiring a note, and telling whether one helped."""

from __future__ import annotations

from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.notes import changes, rules
from tarimba.notes.desk import (
    Desk,
    again,
    answer,
    approach,
    commit,
    finished,
    leave_receipt,
    require_own,
    tell,
)
from tarimba.notes.model import Outcome, Written
from tarimba.notes.preparing import committed
from tarimba.notes.proposing import propose_retirement
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey


def retire(kernel: Kernel, principal: Principal, note_id: str, *, once_key: OnceKey | None = None) -> Written:
    """Takes a note out of use; it stays readable by id. Never limited. Again: the same answer.

    People and admin keys may also while the memory is off. Raises 403, 404, 409 `conflict` for a version that
    is not the head. An agent's retirement of what a person stands behind waits for one: 202 and a proposal.
    """
    allow(principal, "write_notes")
    also_off = principal.kind != "agent"
    desk, _ = approach(kernel, principal, note_id, also_off=also_off)
    require_own(desk)
    done = commit(kernel, desk, once_key, lambda tx, now: _retire(tx, now, note_id), also_off=also_off)
    return answer(kernel, principal.space_id, done)


def record_outcome(
    kernel: Kernel, principal: Principal, note_id: str, outcome: Outcome, *, once_key: OnceKey | None = None
) -> Written:
    """Counts whether a version helped, for the reviewer: neither order nor block ever change by it.

    Raises 403, 404 and 409 `agent_memory_off`.
    """
    allow(principal, "outcomes")
    desk, _ = approach(kernel, principal, note_id)
    done = commit(kernel, desk, once_key, lambda tx, now: _count(tx, now, note_id, outcome))
    return answer(kernel, principal.space_id, done)


def _retire(tx: Tx, desk: Desk, note_id: str) -> Done:
    old = again(tx, desk, note_id)
    if old.note.note_id != old.head_note_id:
        raise Refusal("conflict", "This version was replaced: retire the newest version of the note.")
    if not old.is_active_head:
        receipt = leave_receipt(tx, desk, "note.retire", old.note, old.content_hash, {"changed": []})
        return finished(200, receipt, note_id=note_id)
    if desk.is_agent and rules.is_decided(old):
        return propose_retirement(tx, desk, old)
    changes.take_out(tx, desk.principal.space_no, old)
    receipt = leave_receipt(tx, desk, "note.retire", old.note, old.content_hash, {"changed": ["status"]})
    tell(tx, "retired", old.chain_id, old.note, "retired")
    return finished(200, receipt, note_id=note_id)


def _count(tx: Tx, desk: Desk, note_id: str, outcome: Outcome) -> Done:
    seen = again(tx, desk, note_id)
    # No cache of the space depends on these counts, so its generation stays.
    changes.count_outcome(tx, note_id, helped=outcome.helped)
    detail: dict[str, object] = {"helped": outcome.helped, **committed(desk.key, outcome.about)}
    receipt = leave_receipt(tx, desk, "note.outcome", seen.note, seen.content_hash, detail)
    return finished(202, receipt, note_id=note_id)
