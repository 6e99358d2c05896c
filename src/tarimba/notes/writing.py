"""Creating and editing notes: prepared without a transaction, committed under the lock of the space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tarimba.errors import Refusal, invalid
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.notes import rules
from tarimba.notes.desk import (
    Desk,
    again,
    answer,
    approach,
    commit,
    finished,
    leave_receipt,
    require_own,
    take_seat,
    tell,
)
from tarimba.notes.model import Changes, Draft, Prepared, Stored, Written
from tarimba.notes.neighbours import similar
from tarimba.notes.preparing import (
    committed,
    prepare,
    refusals_counted,
    require_checked,
    roomy,
    settle_evidence,
    settled,
)
from tarimba.notes.proposing import propose_change, propose_note, propose_opening, text_of
from tarimba.notes.versions import begin, supersede
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey


def create(
    kernel: Kernel,
    principal: Principal,
    draft: Draft,
    *,
    source_id: str | None = None,
    once_key: OnceKey | None = None,
) -> Written:
    """Keeps a new note. `source_id` names the agent when a person or an admin key writes.

    What only a person may decide waits as a proposal: an agent's note where only people write, and a wider
    visibility, for which the note is kept for its own agent first.
    Raises 403, 404, 409 `agent_memory_off`/`agent_memory_full`/`conflict`, 422 and 429.
    """
    allow(principal, "write_notes")
    desk = take_seat(kernel, principal, _writes_for(principal, source_id))
    _require_person_to_open(principal, draft.visibility)

    def attempt() -> tuple[Done, Prepared]:
        ready = prepare(kernel, draft, desk.settings, principal.space_id, desk.origin)
        similar = _similar(kernel, desk, ready)
        return commit(kernel, desk, once_key, lambda tx, now: _create(tx, now, ready, similar)), ready

    with refusals_counted(kernel, principal, desk.owner.source_id):
        done, ready = settled(attempt)
    return answer(kernel, principal.space_id, done, ready)


def edit(
    kernel: Kernel, principal: Principal, note_id: str, wanted: Changes, *, once_key: OnceKey | None = None
) -> Written:
    """Makes a new version of a note and answers it, or the proposal of one: 202, and the head stays as it is.

    A change of nothing stores nothing: it answers the note as it is, with a receipt that says so.
    Raises like `create`, 403 `not_owner`, and 409 `conflict` when `note_id` is not the active head.
    """
    allow(principal, "write_notes")
    desk, old = approach(kernel, principal, note_id)
    require_own(desk)
    draft = wanted.applied_to(old.note)
    if draft.visibility != old.note.visibility:
        _require_person_to_open(principal, draft.visibility)
    settings = roomy(desk.settings, draft, old.note)

    def attempt() -> tuple[Done, Prepared]:
        ready = prepare(kernel, draft, settings, principal.space_id, desk.origin)
        return commit(kernel, desk, once_key, lambda tx, now: _edit(tx, now, old, ready)), ready

    with refusals_counted(kernel, principal, desk.owner.source_id):
        done, ready = settled(attempt)
    return answer(kernel, principal.space_id, done, ready)


def _writes_for(principal: Principal, source_id: str | None) -> str:
    if principal.kind == "agent":
        if source_id is not None:
            raise invalid("source_id", "an agent's key writes for its own agent; leave it out")
        assert principal.source_id is not None
        return principal.source_id
    if source_id is None:
        raise invalid("source_id", "name the agent whose note this is")
    return source_id


def _require_person_to_open(principal: Principal, visibility: str) -> None:
    # An agent may ask, and then a person decides; an admin key acts for the company but is no person.
    if principal.kind == "admin" and visibility != "source":
        raise Refusal("person_required", "Only a person may open a note beyond its own agent.")


def _similar(kernel: Kernel, desk: Desk, ready: Prepared) -> list[str]:
    """What a reviewer of a new note will want to compare it with."""
    if not desk.is_agent or desk.settings.writes != "human_only":
        return []
    with kernel.database.read() as connection:
        return similar(kernel, connection, desk.principal.space_id, desk.owner.source_id, text_of(ready))


def _create(tx: Tx, desk: Desk, ready: Prepared, similar: Sequence[str]) -> Done:
    draft = ready.draft
    require_checked(tx, desk.principal, ready)
    rules.require_fit(draft, None, desk.settings.title_max, desk.settings.body_max)
    rules.later(draft.valid_until, tx.now)
    desk.take_write(tx)
    desk.require_room(tx)
    evidence = settle_evidence(tx, desk.key, draft.evidence, ready.flagged)
    if desk.is_agent and desk.settings.writes == "human_only":
        return propose_note(tx, desk, ready, evidence, similar)
    asks_to_open = desk.is_agent and draft.visibility != "source"
    kept = replace(ready, draft=replace(draft, visibility="source")) if asks_to_open else ready
    added = begin(tx, desk.author, desk.owner, kept, evidence)
    note = added.note
    detail = {"origin": note.origin, "kind": note.kind, **committed(desk.key, draft.evidence)}
    receipt = leave_receipt(tx, desk, "note.create", note, added.content_hash, detail)
    tell(tx, "created", note.note_id, note)
    if not asks_to_open:
        return finished(201, receipt, note_id=note.note_id)
    opening = propose_opening(tx, desk, note, draft.visibility, ready.detectors)
    return finished(201, receipt, note_id=note.note_id, proposal_id=opening.proposal_id)


def _edit(tx: Tx, desk: Desk, seen: Stored, ready: Prepared) -> Done:
    old = again(tx, desk, seen.note.note_id)
    if not old.is_active_head:
        raise Refusal(
            "conflict", "This is not the active head of the note: read its newest version and edit that."
        )
    changed = rules.changed_fields(old.note, ready.draft)
    if not changed:
        receipt = leave_receipt(tx, desk, "note.edit", old.note, old.content_hash, {"changed": []})
        return finished(200, receipt, note_id=old.note.note_id)
    require_checked(tx, desk.principal, ready)
    rules.require_fit(ready.draft, old.note, desk.settings.title_max, desk.settings.body_max)
    if "valid_until" in changed:
        rules.later(ready.draft.valid_until, tx.now)
    desk.take_write(tx)
    if _awaits_person(desk, old, ready.draft):
        return propose_change(tx, desk, old, ready, changed)
    return _replace_head(tx, desk, old, ready, changed)


def _awaits_person(desk: Desk, old: Stored, draft: Draft) -> bool:
    """An agent changes neither what a person stands behind nor who else reads it."""
    if not desk.is_agent:
        return False
    only_people = desk.settings.writes == "human_only"
    return only_people or rules.is_decided(old) or rules.is_widened(old.note, draft)


def _replace_head(tx: Tx, desk: Desk, old: Stored, ready: Prepared, changed: list[str]) -> Done:
    if rules.is_expired(old.note, tx.now) and not rules.is_expired(ready.draft, tx.now):
        desk.require_room(tx)
    added = supersede(tx, desk.author, old, ready)
    detail = {"changed": changed, "supersedes": old.note.note_id}
    receipt = leave_receipt(tx, desk, "note.edit", added.note, added.content_hash, detail)
    tell(tx, "updated", old.chain_id, added.note)
    return finished(200, receipt, note_id=added.note.note_id)
