"""What a decision does under the lock of the space: all that holds for a write is looked at again, and then stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tarimba.errors import Refusal, not_found
from tarimba.identity.model import Principal
from tarimba.identity.settings import SpaceSettings
from tarimba.notes import caps, changes, rules, store
from tarimba.notes.desk import tell
from tarimba.notes.model import Note, Prepared, Stored
from tarimba.notes.proposing import leave_of
from tarimba.notes.versions import Added, Author, begin, supersede
from tarimba.notes.wire import note_json
from tarimba.personal_data.model import Knowledge
from tarimba.personal_data.service import require_same
from tarimba.proposals import service as proposals
from tarimba.proposals.model import Proposal
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx


@dataclass(frozen=True, slots=True)
class Case:
    """One decision, ready for the lock: the proposal as it was seen, the text to approve or the reason to reject.

    `ready` is None where there is no text to store, and for a proposal that was not pending when it was seen.
    """

    proposal: Proposal
    approves: bool
    edited: bool = False
    ready: Prepared | None = None
    reason: str | None = None
    knew: Knowledge | None = None


@dataclass(frozen=True, slots=True)
class Chair:
    """Who decides, under the settings in force now."""

    principal: Principal
    settings: SpaceSettings


def settle(tx: Tx, chair: Chair, case: Case) -> Recorded:
    """Decides one proposal. Raises 404, 409 and 422, and `MovedError` like a write."""
    found = proposals.find(tx.connection, tx.space_id, case.proposal.proposal_id)
    if found is None:
        raise not_found("proposal")
    proposals.require_pending(found)
    if case.proposal.status != "pending":
        raise Refusal("conflict", "The proposal was finished just now: read it before you decide.")
    if case.knew is not None and tx.generation != chair.principal.generation:
        require_same(tx, case.knew)
    if not case.approves:
        return _reject(tx, chair, case)
    rules.require_on(chair.settings.enabled)
    if found.act == "create":
        return _keep_new(tx, chair, case)
    return _change(tx, chair, case, _head(tx, case))


def _reject(tx: Tx, chair: Chair, case: Case) -> Recorded:
    by = chair.principal
    made = proposals.decide(tx, case.proposal.proposal_id, "rejected", by.id, reason=case.reason)
    return leave_of(tx, by, "proposal.reject", made, {"has_reason": case.reason is not None})


def _keep_new(tx: Tx, chair: Chair, case: Case) -> Recorded:
    one, ready = case.proposal, case.ready
    owner = store.owner(tx.connection, tx.space_id, one.source_id)
    assert ready is not None
    assert owner is not None
    rules.require_fit(ready.draft, None, chair.settings.title_max, chair.settings.body_max)
    rules.later(ready.draft.valid_until, tx.now)
    caps.require_room(tx, one.source_id, chair.settings)
    added = begin(tx, _author(chair, one.origin), owner, ready, one.evidence)
    _vouch(tx, chair, case, "note.create", added, {"origin": added.note.origin, "kind": added.note.kind})
    tell(tx, "created", added.note.note_id, added.note)
    return _approve(tx, chair, case, added.note)


def _change(tx: Tx, chair: Chair, case: Case, old: Stored) -> Recorded:
    """Retires the head, or puts the approved text in its place."""
    act = case.proposal.act
    if act == "retire":
        changes.take_out(tx, chair.principal.space_no, old)
        detail = {"changed": ["status"]}
        _vouch(tx, chair, case, "note.retire", Added(old.note, old.content_hash), detail)
        tell(tx, "retired", old.chain_id, old.note, "retired")
        return _approve(tx, chair, case, old.note)
    assert case.ready is not None
    changed = rules.changed_fields(old.note, case.ready.draft)
    action = "note.open" if act == "open" else "note.edit"
    if not changed:
        _vouch(tx, chair, case, action, Added(old.note, old.content_hash), {"changed": []})
        return _approve(tx, chair, case, old.note)
    _require_changeable(tx, chair, case.ready, old, changed)
    # Opening leaves the words as they are, and with them where they came from.
    origin = old.note.origin if act == "open" else case.proposal.origin
    added = supersede(tx, _author(chair, origin), old, case.ready)
    _vouch(tx, chair, case, action, added, {"changed": changed, "supersedes": old.note.note_id})
    tell(tx, "updated", old.chain_id, added.note)
    return _approve(tx, chair, case, added.note)


def _require_changeable(tx: Tx, chair: Chair, ready: Prepared, old: Stored, changed: list[str]) -> None:
    rules.require_fit(ready.draft, old.note, chair.settings.title_max, chair.settings.body_max)
    if "valid_until" in changed:
        rules.later(ready.draft.valid_until, tx.now)
    if rules.is_expired(old.note, tx.now) and not rules.is_expired(ready.draft, tx.now):
        caps.require_room(tx, old.owner.source_id, chair.settings)


def _head(tx: Tx, case: Case) -> Stored:
    """The head that the proposal is about. Raises 409 with both texts when it has moved or ended meanwhile."""
    assert case.proposal.edits_note_id is not None
    old = store.version(tx.connection, tx.space_id, case.proposal.edits_note_id)
    if old is None or not rules.may_read(None, old):
        raise not_found("note")
    if old.is_active_head:
        return old
    current = store.version(tx.connection, tx.space_id, old.head_note_id)
    assert current is not None
    raise Refusal(
        "conflict",
        "The note has changed since this was proposed. Compare `proposed` with `current`, then edit the note or "
        "reject the proposal.",
        extra={"proposed": proposals.text_json(case.proposal.text), "current": note_json(current.note)},
    )


def _vouch(tx: Tx, chair: Chair, case: Case, action: str, of: Added, detail: Mapping[str, object]) -> None:
    """The receipt of what became of the note: the first that names the version."""
    by, note = chair.principal, of.note
    bound = {"content_hash": of.content_hash, "version": note.version, "visibility": note.visibility}
    objects = {"note_id": note.note_id, "source_id": note.source_id}
    objects |= {"proposal_id": case.proposal.proposal_id}
    record(tx, Receipt(action, by.actor, by.via, note.source_id, objects, {**bound, **detail}))


def _approve(tx: Tx, chair: Chair, case: Case, note: Note) -> Recorded:
    """The end of the proposal itself, with the receipt that says who approved."""
    by = chair.principal
    made = proposals.decide(
        tx, case.proposal.proposal_id, "approved", by.id, note_id=note.note_id, edited=case.edited
    )
    return leave_of(tx, by, "proposal.approve", made, {"edited": case.edited}, note_id=note.note_id)


def _author(chair: Chair, origin: str) -> Author:
    return Author(chair.principal.space_no, chair.principal.id, origin)
