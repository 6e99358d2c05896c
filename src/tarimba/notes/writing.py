"""Creating and editing notes: prepared without a transaction, committed under the lock of the space."""

from __future__ import annotations

import os
from dataclasses import replace

from tarimba.errors import Refusal, invalid
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.settings import SpaceSettings
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.notes import caps, changes, rules
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
from tarimba.notes.model import Changes, Draft, Note, Prepared, Stored, Written
from tarimba.notes.preparing import committed, prepare, refusals_counted, settle_evidence, settled
from tarimba.notes.wire import note_json
from tarimba.personal_data.service import require_same
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

    Raises 403, 404, 409 `agent_memory_off`/`agent_memory_full`/`conflict`, 422, 429, and 501 for what only a
    person may decide.
    """
    allow(principal, "write_notes")
    desk = take_seat(kernel, principal, _writes_for(principal, source_id))
    _require_person_to_open(principal, draft.visibility)

    def attempt() -> tuple[Done, Prepared]:
        ready = prepare(kernel, draft, desk.settings, principal.space_id, desk.origin)
        return commit(kernel, desk, once_key, lambda tx, now: _create(tx, now, ready)), ready

    with refusals_counted(kernel, principal, desk.owner.source_id):
        done, ready = settled(attempt)
    return answer(kernel, principal.space_id, done, ready)


def edit(
    kernel: Kernel, principal: Principal, note_id: str, wanted: Changes, *, once_key: OnceKey | None = None
) -> Written:
    """Makes a new version of a note and answers it.

    A change of nothing stores nothing: it answers the note as it is, with a receipt that says so.
    Raises like `create`, 403 `not_owner`, and 409 `conflict` when `note_id` is not the active head.
    """
    allow(principal, "write_notes")
    desk, old = approach(kernel, principal, note_id)
    require_own(desk)
    draft = wanted.applied_to(old.note)
    if draft.visibility != old.note.visibility:
        _require_person_to_open(principal, draft.visibility)
    settings = _roomy(desk.settings, wanted, old.note)

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


def _roomy(settings: SpaceSettings, wanted: Changes, old: Note) -> SpaceSettings:
    """Settings that a text which does not change still fits, though the space has lowered its limits since."""
    title_max = settings.title_max if wanted.title is not None else max(settings.title_max, len(old.title))
    body_max = settings.body_max if wanted.body is not None else max(settings.body_max, len(old.body))
    return replace(settings, title_max=title_max, body_max=body_max)


def _create(tx: Tx, desk: Desk, ready: Prepared) -> Done:
    draft = ready.draft
    if desk.is_agent and draft.visibility != "source":
        raise rules.awaits_person("Opening a note to other agents")
    _require_free_hand(desk)
    _require_checked(tx, desk, ready)
    _require_fit(desk, ready, None)
    rules.later(draft.valid_until, tx.now)
    if desk.is_agent:
        caps.take_write(tx, desk.owner.source_id, desk.settings)
    caps.require_room(tx, desk.owner.source_id, desk.settings)
    note = _note(tx, desk, ready, None)
    pool = desk.owner.pool(note.visibility)
    age = tx.next_ordinal()
    changes.add_chain(tx, note, age, pool, "active")
    bound = _add(tx, note, ready, note.note_id)
    changes.index(tx, desk.principal.space_no, ready.terms, (pool, age, note.version))
    tx.changed()
    detail = {"origin": note.origin, "kind": note.kind, **committed(desk.key, draft.evidence)}
    receipt = leave_receipt(tx, desk, "note.create", note, bound, detail)
    tell(tx, "created", note.note_id, note)
    return finished(201, note.note_id, receipt)


def _edit(tx: Tx, desk: Desk, seen: Stored, ready: Prepared) -> Done:
    old = again(tx, desk, seen.note.note_id)
    if not old.is_active_head:
        raise Refusal(
            "conflict", "This is not the active head of the note: read its newest version and edit that."
        )
    _require_undecided(desk, old, ready)
    changed = rules.changed_fields(old.note, ready.draft)
    if not changed:
        receipt = leave_receipt(tx, desk, "note.edit", old.note, old.content_hash, {"changed": []})
        return finished(200, old.note.note_id, receipt)
    _require_free_hand(desk)
    _require_checked(tx, desk, ready)
    _require_fit(desk, ready, old.note)
    if "valid_until" in changed:
        rules.later(ready.draft.valid_until, tx.now)
    return _replace_head(tx, desk, old, ready, changed)


def _replace_head(tx: Tx, desk: Desk, old: Stored, ready: Prepared, changed: list[str]) -> Done:
    if desk.is_agent:
        caps.take_write(tx, desk.owner.source_id, desk.settings)
    if rules.is_expired(old.note, tx.now) and not rules.is_expired(ready.draft, tx.now):
        caps.require_room(tx, desk.owner.source_id, desk.settings)
    note = _note(tx, desk, ready, old)
    pool = desk.owner.pool(note.visibility)
    changes.unindex(tx, desk.principal.space_no, old)
    changes.end_version(tx, old.note.note_id, tx.next_seq)
    bound = _add(tx, note, ready, old.chain_id)
    changes.move_head(tx, old.chain_id, note, pool)
    changes.index(tx, desk.principal.space_no, ready.terms, (pool, old.age, note.version))
    tx.changed()
    detail = {"changed": changed, "supersedes": old.note.note_id}
    receipt = leave_receipt(tx, desk, "note.edit", note, bound, detail)
    tell(tx, "updated", old.chain_id, note)
    return finished(200, note.note_id, receipt)


def _require_free_hand(desk: Desk) -> None:
    if desk.is_agent and desk.settings.writes == "human_only":
        raise rules.awaits_person("Writing in a space where only people write")


def _require_undecided(desk: Desk, old: Stored, ready: Prepared) -> None:
    """An agent changes neither what a person stands behind nor who reads it."""
    if not desk.is_agent:
        return
    if rules.is_decided(old):
        raise rules.awaits_person("Changing a note that a person wrote, approved or opened")
    if ready.draft.visibility != old.note.visibility:
        raise rules.awaits_person("Opening a note to other agents")


def _require_checked(tx: Tx, desk: Desk, ready: Prepared) -> None:
    """Raises `MovedError` when what the space knows is not what the text was checked with."""
    # What it knew was read after the caller was, so an equal generation tells that nothing has changed.
    if tx.generation != desk.principal.generation:
        require_same(tx, ready.space)


def _require_fit(desk: Desk, ready: Prepared, old: Note | None) -> None:
    """The limits may have been lowered while the text was being checked."""
    for field, most in (("title", desk.settings.title_max), ("body", desk.settings.body_max)):
        text = getattr(ready.draft, field)
        if len(text) > most and (old is None or text != getattr(old, field)):
            raise invalid(field, f"is longer than allowed (limit {most})")


def _note(tx: Tx, desk: Desk, ready: Prepared, old: Stored | None) -> Note:
    draft = ready.draft
    return Note(
        note_id=new_id(),
        source_id=desk.owner.source_id,
        kind=draft.kind,
        title=draft.title,
        body=draft.body,
        tags=draft.tags,
        visibility=draft.visibility,
        evidence=old.note.evidence if old else settle_evidence(tx, desk.key, draft.evidence, ready.flagged),
        origin=desk.origin,
        version=old.note.version + 1 if old else 1,
        supersedes_note_id=old.note.note_id if old else None,
        status="active",
        valid_until=draft.valid_until,
        created_at=tx.now,
        created_by=desk.principal.id,
    )


def _add(tx: Tx, note: Note, ready: Prepared, chain_id: str) -> str:
    salt = os.urandom(16).hex()
    bound = rules.content_hash(note_json(note), salt)
    changes.add_version(tx, note, ready, chain_id, (salt, bound), (tx.next_seq, None))
    return bound
