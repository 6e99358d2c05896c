"""A person decides: approving a proposal writes the note, rejecting it stores why not. One, or many at once.

Everything that holds for a write holds again here, on the text as the person leaves it. The note keeps the origin of
the proposal, and so the text is held to what a model's text is held to, the person's own words included: later scans
of the note go by its origin too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final

from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.identity.settings import SpaceSettings
from tarimba.kernel import Kernel
from tarimba.notes import rules, store
from tarimba.notes.approving import Case, Chair, settle
from tarimba.notes.desk import finished, receipt_of, shown
from tarimba.notes.model import Changes, Draft, Note, Stored
from tarimba.notes.preparing import prepare, prepare_line, refusals_counted, roomy, settled
from tarimba.proposals import service as proposals
from tarimba.proposals.model import REASON_MAX, Proposal
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, once

DECISIONS_MAX: Final = 100
_UNCHANGED: Final = Changes()


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decides on one proposal: `changes` to the text that is approved, or a `reason` to reject it."""

    proposal_id: str
    approves: bool
    changes: Changes = _UNCHANGED
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """A proposal as it is now, and the note of an approval."""

    proposal: Proposal
    note: Note | None


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of a request that decides, in the order of its decisions; the receipt of the last of them."""

    decided: tuple[Decided, ...]
    receipt: Recorded


def decide(
    kernel: Kernel, principal: Principal, decision: Decision, *, once_key: OnceKey | None = None
) -> Answered:
    """Decides one proposal.

    Raises 403 `person_required`/`scope_missing`, 404, 409 `conflict` (decided already, or the note has moved: then
    with both texts), `agent_memory_off` (rejecting goes on) and `agent_memory_full`, and 422.
    """
    allow(principal, "decide")
    done = settled(lambda: _commit(kernel, principal, [_taken_up(kernel, principal, decision)], once_key))
    return _answered(kernel, principal.space_id, done)


def decide_all(
    kernel: Kernel, principal: Principal, decisions: Sequence[Decision], *, once_key: OnceKey | None = None
) -> Answered:
    """Decides all of them in one transaction, or none: one change of the block however many are approved.

    Raises like `decide`; `index` says which decision was refused.
    """
    allow(principal, "decide")
    _require_distinct(decisions)

    def attempt() -> Done:
        cases = []
        for index, decision in enumerate(decisions):
            with _of(index):
                cases.append(_taken_up(kernel, principal, decision))
        return _commit(kernel, principal, cases, once_key, many=True)

    return _answered(kernel, principal.space_id, settled(attempt))


def _require_distinct(decisions: Sequence[Decision]) -> None:
    seen = set()
    for index, decision in enumerate(decisions):
        with _of(index):
            if decision.proposal_id in seen:
                raise invalid("proposal_id", "is in the list before: decide each proposal once")
        seen.add(decision.proposal_id)


@contextmanager
def _of(index: int) -> Iterator[None]:
    """A refusal inside says which decision it is about."""
    try:
        yield
    except Refusal as refusal:
        raise Refusal(
            refusal.code,
            refusal.detail,
            extra={**refusal.extra, "index": index},
            retry_after=refusal.retry_after,
            status=refusal.status,
        ) from None


def _taken_up(kernel: Kernel, principal: Principal, decision: Decision) -> Case:
    """The decision with everything checked that takes time. What is not pending is left to the lock to refuse."""
    about = None
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
        found = proposals.find(connection, principal.space_id, decision.proposal_id)
        if found is not None and found.edits_note_id is not None:
            about = store.version(connection, principal.space_id, found.edits_note_id)
    if found is None:
        raise not_found("proposal")
    _require_sense(decision, found)
    if decision.approves:
        rules.require_on(settings.enabled)
    if found.status != "pending":
        return Case(found, decision.approves)
    if not decision.approves:
        return _rejected(kernel, principal, decision, found)
    if found.act == "retire":
        return Case(found, approves=True)
    with refusals_counted(kernel, principal, found.source_id):
        return _approved(kernel, principal, settings, decision, (found, about))


def _require_sense(decision: Decision, found: Proposal) -> None:
    """Raises 422 for what can't go together."""
    if decision.approves and decision.reason is not None:
        raise invalid("reason", "belongs to a rejection")
    if decision.changes != _UNCHANGED and (not decision.approves or found.act == "retire"):
        raise invalid("changes", "belong to the approval of a text: there is none to change here")


def _rejected(kernel: Kernel, principal: Principal, decision: Decision, found: Proposal) -> Case:
    if decision.reason is None:
        return Case(found, approves=False)
    reason, knew = prepare_line(kernel, principal.space_id, "reason", decision.reason, REASON_MAX)
    return Case(found, approves=False, reason=reason, knew=knew)


def _approved(
    kernel: Kernel,
    principal: Principal,
    settings: SpaceSettings,
    decision: Decision,
    seen: tuple[Proposal, Stored | None],
) -> Case:
    found, about = seen
    text = found.text
    # Its evidence was settled when it was proposed, and is not this person's to change.
    proposed = Draft(
        text.kind, text.title, text.body, text.tags, text.visibility, valid_until=text.valid_until
    )
    wanted = decision.changes.applied_to(proposed)
    limits = roomy(settings, wanted, about.note) if about else settings
    ready = prepare(kernel, wanted, limits, principal.space_id, found.origin)
    edited = bool(rules.changed_fields(proposed, ready.draft))
    return Case(found, approves=True, edited=edited, ready=ready, knew=ready.space)


def _commit(
    kernel: Kernel,
    principal: Principal,
    cases: Sequence[Case],
    once_key: OnceKey | None,
    *,
    many: bool = False,
) -> Done:
    def settle_all(tx: Tx) -> Done:
        chair = Chair(principal, space_settings.load(tx.connection, tx.space_id))
        for index, case in enumerate(cases):
            with _of(index) if many else nullcontext():
                receipt = settle(tx, chair, case)
        return finished(200, receipt, decided=json.dumps([case.proposal.proposal_id for case in cases]))

    def run(tx: Tx) -> Done:
        recheck(tx, principal)
        return once(tx, once_key, lambda: settle_all(tx))

    return kernel.writer.commit(principal.space_id, run)


def _answered(kernel: Kernel, space_id: str, done: Done) -> Answered:
    """The answer from what is stored, the first time and for every repetition. Raises 404."""
    decided = []
    with kernel.database.read() as connection:
        for proposal_id in json.loads(done.ids["decided"]):
            found = proposals.find(connection, space_id, proposal_id)
            if found is None:
                raise not_found("proposal")
            note = shown(connection, space_id, found.note_id) if found.note_id is not None else None
            decided.append(Decided(found, note))
    return Answered(tuple(decided), receipt_of(done))
