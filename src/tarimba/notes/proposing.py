"""What an agent may not do by itself waits for a person: proposals made by a write, in the write's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tarimba.identity.model import Principal
from tarimba.notes.desk import Desk, finished
from tarimba.notes.model import Evidence, Note, Prepared, Stored
from tarimba.notes.preparing import committed
from tarimba.proposals import service as proposals
from tarimba.proposals.model import Proposal, Text
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done


def propose_note(
    tx: Tx, desk: Desk, ready: Prepared, evidence: Evidence | None, similar: Sequence[str]
) -> Done:
    """A new note that a person will keep or not."""
    made = proposals.propose(
        tx,
        source_id=desk.owner.source_id,
        act="create",
        text=text_of(ready),
        evidence=evidence,
        origin="agent",
        created_by=desk.principal.id,
        detectors=ready.detectors,
        similar=similar,
    )
    receipt = leave_of(tx, desk.principal, "proposal.create", made, committed(desk.key, ready.draft.evidence))
    return finished(201, receipt, proposal_id=made.proposal_id)


def propose_change(tx: Tx, desk: Desk, old: Stored, ready: Prepared, changed: Sequence[str]) -> Done:
    """Another text or other readers for a note whose head stays as it is until a person decides."""
    is_opening = list(changed) == ["visibility"] and ready.draft.visibility != "source"
    made = _about(tx, desk, "open" if is_opening else "edit", old.note, text_of(ready), ready.detectors)
    receipt = leave_of(tx, desk.principal, "proposal.create", made, {"changed": list(changed)})
    return finished(202, receipt, proposal_id=made.proposal_id)


def propose_opening(tx: Tx, desk: Desk, note: Note, visibility: str, detectors: str) -> Proposal:
    """Other readers for a note that was just stored for its own agent only."""
    text = Text(note.kind, note.title, note.body, note.tags, visibility, note.valid_until)
    made = _about(tx, desk, "open", note, text, detectors)
    leave_of(tx, desk.principal, "proposal.create", made, {"changed": ["visibility"]})
    return made


def propose_retirement(tx: Tx, desk: Desk, old: Stored) -> Done:
    """The end of a note that a person stands behind. Asked for again: the proposal that waits already.

    The proposal carries the text, so that a reviewer sees what would go.
    """
    waiting = proposals.waiting_about(tx.connection, tx.space_id, "retire", old.note.note_id)
    if waiting is not None:
        receipt = leave_of(tx, desk.principal, "proposal.create", waiting, {"changed": []})
        return finished(202, receipt, proposal_id=waiting.proposal_id)
    desk.take_write(tx)
    note = old.note
    text = Text(note.kind, note.title, note.body, note.tags, note.visibility, note.valid_until)
    made = _about(tx, desk, "retire", note, text, "")
    receipt = leave_of(tx, desk.principal, "proposal.create", made, {"changed": ["status"]})
    return finished(202, receipt, proposal_id=made.proposal_id)


def text_of(ready: Prepared) -> Text:
    """What a proposal keeps of a text that was prepared."""
    draft = ready.draft
    return Text(draft.kind, draft.title, draft.body, draft.tags, draft.visibility, draft.valid_until)


def leave_of(
    tx: Tx,
    by: Principal,
    action: str,
    about: Proposal,
    detail: Mapping[str, object],
    note_id: str | None = None,
) -> Recorded:
    """The receipt of an act on a proposal; `note_id` is the version that it made or took out."""
    concerned = note_id or about.edits_note_id
    objects = {"proposal_id": about.proposal_id, "source_id": about.source_id}
    receipt = Receipt(
        action=action,
        actor=by.actor,
        via=by.via,
        agent=about.source_id,
        objects=objects | ({"note_id": concerned} if concerned else {}),
        detail={"act": about.act, "origin": about.origin, "status": about.status, **detail},
    )
    return record(tx, receipt)


def _about(tx: Tx, desk: Desk, act: str, note: Note, text: Text, detectors: str) -> Proposal:
    return proposals.propose(
        tx,
        source_id=note.source_id,
        act=act,
        text=text,
        evidence=note.evidence,
        origin="agent",
        created_by=desk.principal.id,
        detectors=detectors,
        edits_note_id=note.note_id,
    )
