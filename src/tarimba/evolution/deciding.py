"""A person decides on a draft: refuses it, or has it written into the agent's own skills.

A file and a row can't change together. So the file comes first: when the process dies in between, the draft still
waits, and the next approval finds its file in place and does the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import structlog

from tarimba.errors import Refusal, not_found
from tarimba.evolution import reading, reviewing, skill_file, store
from tarimba.evolution.applying import OwnSkills, Written
from tarimba.evolution.model import Decided, Draft
from tarimba.identity import settings as space_settings
from tarimba.identity.changes import done, receipt_of
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.kernel import Kernel
from tarimba.personal_data import service as personal_data
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, once

_NO_MODE: Final = "Drafts are not written in this space: set `evolution.mode` to `apply` for that."
_NO_ROOM: Final = (
    "This server writes no skills: its option TARIMBA_WORKSPACES does not say where workspaces lie."
)
_log = structlog.get_logger("tarimba.evolution")


@dataclass(frozen=True, slots=True)
class _Placed:
    """What was written for a draft, and where."""

    own: OwnSkills
    name: str
    content: bytes
    written: Written


def refuse(
    kernel: Kernel, principal: Principal, draft_id: str, *, once_key: OnceKey | None = None
) -> Decided:
    """Refuses a draft: the same is not drafted again unless somebody asks. Raises 403, 404, 409 `conflict`."""
    allow(principal, "decide_skill")
    reading.found(kernel, principal.space_id, draft_id)
    return _committed(
        kernel,
        principal,
        once_key,
        lambda tx: _settle(tx, principal, draft_id, "refused", "skill.refuse", {}),
    )


def apply(kernel: Kernel, principal: Principal, draft_id: str, *, once_key: OnceKey | None = None) -> Decided:
    """Writes a draft as `skills/<name>/SKILL.md` into the agent's workspace.

    Raises 403, 404, 409 `conflict` (not pending, the mode of the space, what stands in the workspace), 501 without
    `TARIMBA_WORKSPACES`, and 503. Unless it returns nothing is written.
    """
    allow(principal, "decide_skill")
    draft = reading.found(kernel, principal.space_id, draft_id)
    # What is not pending is left to the lock to refuse: it may be this very request, come again.
    placed = _placed(kernel, principal, draft) if draft.state == "pending" else None

    def settle(tx: Tx) -> Done:
        if placed is None:
            raise _decided_already()
        _require_mode(space_settings.load(tx.connection, tx.space_id).evolution)
        detail = {
            "content_hash": hashlib.sha256(placed.content).hexdigest(),
            "replaced": placed.written.before is not None,
        }
        return _settle(tx, principal, draft_id, "applied", "skill.apply", detail)

    with _undone_if_refused(kernel, principal.space_id, draft_id, placed):
        return _committed(kernel, principal, once_key, settle)


def _placed(kernel: Kernel, principal: Principal, draft: Draft) -> _Placed:
    with kernel.database.read() as connection:
        mode = space_settings.load(connection, principal.space_id).evolution
        slugs = store.slugs(connection, principal.space_id, draft.source_id)
    _require_mode(mode)
    if kernel.settings.workspaces is None:
        raise Refusal("not_implemented", _NO_ROOM)
    if slugs is None:
        raise not_found("draft")
    _review_again(kernel, principal, draft)
    own, content = OwnSkills(kernel.settings.workspaces, *slugs), draft.text.encode()
    return _Placed(own, draft.name, content, own.write(draft.name, content, _is_sound))


def _require_mode(mode: str) -> None:
    if mode != "apply":
        raise Refusal("conflict", _NO_MODE)


def _review_again(kernel: Kernel, principal: Principal, draft: Draft) -> None:
    """What the space has learned since may be in it. Then the draft goes into quarantine, and this raises 409."""
    knew = personal_data.known_by(kernel, principal.space_id)
    skill = skill_file.read(draft.text)
    problem = reviewing.problem_of(kernel, knew, skill, draft.operations) if skill else "invalid_skill"
    if problem is None:
        return

    def quarantine(tx: Tx) -> None:
        recheck(tx, principal)
        _require_pending(tx, draft.draft_id)
        store.settle(tx, draft.draft_id, state="quarantined", problem=problem, name="", text="")
        _leave(tx, principal, "evolution.round", draft, {"state": "quarantined", "problem": problem})

    kernel.writer.commit(principal.space_id, quarantine)
    raise Refusal("conflict", "The draft does not pass the review any more: it is in quarantine now.")


def _is_sound(content: bytes) -> bool:
    return skill_file.read(content.decode(errors="replace")) is not None


@contextmanager
def _undone_if_refused(
    kernel: Kernel, space_id: str, draft_id: str, placed: _Placed | None
) -> Iterator[None]:
    """Takes the file out again when the draft was not to be applied after all.

    Not when nobody knows whether the row was stored, nor when somebody else applied the same draft at this moment.
    """
    try:
        yield
    except Refusal as refusal:
        if (
            placed is not None
            and refusal.code != "unavailable"
            and not _is_applied(kernel, space_id, draft_id)
        ):
            try:
                placed.own.undo(placed.name, placed.content, placed.written)
            except Refusal:
                _log.warning("evolution.not_undone", draft_id=draft_id)
        raise


def _is_applied(kernel: Kernel, space_id: str, draft_id: str) -> bool:
    with kernel.database.read() as connection:
        draft = store.find(connection, space_id, draft_id)
    return draft is not None and draft.state == "applied"


def _committed(
    kernel: Kernel, principal: Principal, once_key: OnceKey | None, work: Callable[[Tx], Done]
) -> Decided:
    def run(tx: Tx) -> Done:
        recheck(tx, principal)
        return once(tx, once_key, lambda: work(tx))

    made = kernel.writer.commit(principal.space_id, run)
    receipt = receipt_of(made)
    assert receipt is not None
    return Decided(reading.found(kernel, principal.space_id, made.ids["draft_id"]), receipt)


def _settle(
    tx: Tx, principal: Principal, draft_id: str, state: str, action: str, detail: dict[str, Any]
) -> Done:
    draft = _require_pending(tx, draft_id)
    store.settle(tx, draft_id, state=state, decided_at=tx.now, decided_by=principal.id)
    receipt = _leave(tx, principal, action, draft, {"state": state, **detail})
    return done(200, receipt, draft_id=draft_id)


def _require_pending(tx: Tx, draft_id: str) -> Draft:
    draft = store.find(tx.connection, tx.space_id, draft_id)
    if draft is None:
        raise not_found("draft")
    if draft.state != "pending":
        raise _decided_already()
    return draft


def _decided_already() -> Refusal:
    return Refusal("conflict", "The draft does not wait for a decision: read what became of it.")


def _leave(tx: Tx, principal: Principal, action: str, draft: Draft, detail: dict[str, Any]) -> Recorded:
    ids = {"draft_id": draft.draft_id, "source_id": draft.source_id}
    return record(tx, Receipt(action, principal.actor, principal.via, draft.source_id, ids, detail))
