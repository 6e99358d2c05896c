"""From state to state: drafting, pending, approved, rejected, failed. Each in the caller's transaction.

The receipt of the act is left by whoever asks for it: a write, a distillation, a decision. What others may want
to hear of is announced here, so that no way into a state is silent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tarimba.errors import Refusal, not_found
from tarimba.ids import is_id, new_id
from tarimba.notes.model import Evidence
from tarimba.proposals import store
from tarimba.proposals.model import Problem, Proposal, Text
from tarimba.storage import Tx
from tarimba.webhooks.service import announce


def propose(
    tx: Tx,
    *,
    source_id: str,
    act: str,
    text: Text,
    evidence: Evidence | None,
    origin: str,
    created_by: str,
    detectors: str,
    edits_note_id: str | None = None,
    status: str = "pending",
    about_mac: str | None = None,
    similar: Sequence[str] = (),
) -> Proposal:
    """A new proposal for an agent. `status` is `pending`, or `drafting` for one that a worker will write.

    `evidence` holds surrogates already where it must; `about_mac` commits to what a distillation is about.
    """
    made = Proposal(
        proposal_id=new_id(),
        source_id=source_id,
        act=act,
        edits_note_id=edits_note_id,
        text=text,
        evidence=evidence,
        origin=origin,
        status=status,
        note_id=None,
        created_at=tx.now,
        created_by=created_by,
        decided_at=None,
        decided_by=None,
        reason=None,
        problem=None,
        problem_kinds=(),
        similar_note_ids=tuple(similar),
        edited=False,
        detectors=detectors,
        ordinal=tx.next_ordinal(),
        scrubbed_at=None,
    )
    store.add(tx, made, about_mac)
    if status == "pending":
        tell(tx, "proposed", made)
    return made


def settle_draft(
    tx: Tx,
    proposal_id: str,
    text: Text,
    *,
    evidence: Evidence | None,
    detectors: str,
    similar: Sequence[str] = (),
) -> Proposal:
    """A draft that was written and checked waits for a person from now on.

    Raises 404 when it was erased, 409 `conflict` when it is no draft any more.
    """
    old = _in_state(tx, proposal_id, "drafting")
    made = replace(
        old,
        text=text,
        evidence=evidence,
        detectors=detectors,
        similar_note_ids=tuple(similar),
        status="pending",
    )
    store.settle(tx, made)
    tell(tx, "proposed", made)
    return made


def fail_draft(tx: Tx, proposal_id: str, problem: Problem, kinds: Sequence[str] = ()) -> Proposal:
    """A draft that came to nothing: `problem` says why, as a code. Its text was never stored. Raises like above."""
    old = _in_state(tx, proposal_id, "drafting")
    made = replace(old, status="failed", problem=problem, problem_kinds=tuple(kinds))
    store.settle(tx, made)
    tell(tx, "proposal_failed", made)
    return made


def decide(
    tx: Tx,
    proposal_id: str,
    status: str,
    decided_by: str,
    *,
    note_id: str | None = None,
    edited: bool = False,
    reason: str | None = None,
) -> Proposal:
    """What a person decided: `approved` (with the note that it made, changed or took out) or `rejected`.

    Raises 404, and 409 `conflict` when it is not pending: under the lock the first decision is the only one.
    """
    old = _in_state(tx, proposal_id, "pending")
    made = replace(
        old,
        status=status,
        decided_at=tx.now,
        decided_by=decided_by,
        note_id=note_id,
        edited=edited,
        reason=reason,
    )
    store.settle(tx, made)
    tell(tx, "proposal_decided", made)
    return made


def require_pending(one: Proposal) -> None:
    """Raises 409 `conflict` for what nobody can decide, or not any more."""
    if one.status == "drafting":
        raise Refusal("conflict", "The proposal is still being written: decide when its status is pending.")
    if one.status != "pending":
        raise Refusal("conflict", "The proposal was decided already, or has failed: read it again.")


def _in_state(tx: Tx, proposal_id: str, status: str) -> Proposal:
    found = store.find(tx.connection, tx.space_id, proposal_id) if is_id(proposal_id) else None
    if found is None:
        raise not_found("proposal")
    if status == "pending":
        require_pending(found)
    elif found.status != status:
        raise Refusal("conflict", "The proposal is no draft any more.")
    return found


def tell(tx: Tx, event: str, one: Proposal) -> None:
    """Announces where a proposal stands: ids and codes. Its own events come in their order."""
    data: dict[str, str | int | None] = {
        "proposal_id": one.proposal_id,
        "source_id": one.source_id,
        "act": one.act,
        "edits_note_id": one.edits_note_id,
        "kind": one.text.kind,
        "origin": one.origin,
        "status": one.status,
        "note_id": one.note_id,
    }
    if one.problem is not None:
        data["problem"] = one.problem
    announce(tx, f"agent_note.{event}", one.proposal_id, data)
