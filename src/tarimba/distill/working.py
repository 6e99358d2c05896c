"""The job `distill`: reads the turns, has a note written, and commits what came of it with its own end.

Killed anywhere, the job is taken up again and begins anew: nothing is stored before the one commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import structlog

from tarimba.clock import DAY, SECOND
from tarimba.conversations import service as conversations
from tarimba.conversations.model import Record
from tarimba.distill import rules, store, writing
from tarimba.distill.model import Failed, Outcome, SilentModelError, Writer
from tarimba.identity import settings as space_settings
from tarimba.identity.settings import SpaceSettings
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job, Later
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Prepared
from tarimba.personal_data import service as personal_data
from tarimba.proposals import service as proposals
from tarimba.proposals.model import Proposal, Text
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record as leave
from tarimba.storage import Tx

_WORKER: Final = Actor("system", "worker")
_SILENT: Final = "model_unavailable"
_WHILE_OFF: Final = 60 * SECOND
_log = structlog.get_logger("tarimba.distill")


@dataclass(frozen=True, slots=True)
class _Case:
    """What the job is about, as it stands when the job begins."""

    draft: Proposal
    settings: SpaceSettings
    vendor_id: str


@dataclass(frozen=True, slots=True)
class _Result:
    """What the commit stores: the outcome, and counts of how it came about."""

    outcome: Outcome
    turns: tuple[str, ...]
    writer: Writer
    similar: tuple[str, ...] = ()


class _OffError(Exception):
    """The memory is off: the draft waits until it is on again, as everything that is stored does."""


def work(kernel: Kernel, job: Job) -> Later | None:
    """Handles one job. Raises what the worker tries again, as detectors that are silent."""
    case = _case(kernel, job)
    if case is None:
        kernel.writer.commit(job.space_id, lambda tx: jobs.finish(tx, job))
        return None
    if not case.settings.enabled:
        return Later(_WHILE_OFF)
    try:
        result = _result(kernel, job, case)
    except SilentModelError as silent:
        _log.warning("distill.no_answer", job_id=job.job_id, reason=silent.reason, attempts=job.attempts)
        wait = rules.wait_us(job.attempts) if silent.again else None
        if wait is not None:
            return Later(wait, problem=_SILENT)
        result = _Result(Failed(_SILENT), (), "model")
    try:
        kernel.writer.commit(job.space_id, lambda tx: _commit(tx, job, result))
    except _OffError:
        return Later(_WHILE_OFF)
    except personal_data.MovedError:
        # What the space knows changed while the text was being checked: it is written and checked once more.
        return Later(SECOND, problem="unavailable")
    return None


def _case(kernel: Kernel, job: Job) -> _Case | None:
    """None when the draft was erased or ended by another run of this job."""
    with kernel.database.read() as connection:
        draft = proposals.find(connection, job.space_id, str(job.payload["proposal_id"]))
        if draft is None or draft.status != "drafting":
            return None
        settings = space_settings.load(connection, job.space_id)
        return _Case(draft, settings, store.vendor_of(connection, job.space_id, draft.source_id))


def _result(kernel: Kernel, job: Job, case: _Case) -> _Result:
    writer = writing.writer_of(kernel)
    if job.attempts >= rules.TRIES_MAX:
        return _Result(Failed(_SILENT), (), writer)
    record = _record(kernel, job.space_id, case)
    outcome = writing.write(kernel, job.space_id, case.settings, record)
    turns = tuple(turn.turn_id for turn in record.turns) if record else ()
    if isinstance(outcome, Failed):
        return _Result(outcome, turns, writer)
    with kernel.database.read() as connection:
        near = notes.similar(kernel, connection, job.space_id, case.draft.source_id, _text(outcome.prepared))
    return _Result(outcome, turns, writer, tuple(near))


def _record(kernel: Kernel, space_id: str, case: _Case) -> Record | None:
    evidence = case.draft.evidence
    assert evidence is not None
    task_id = evidence.task_id
    return conversations.record_of(
        kernel,
        space_id,
        kind="conversation" if task_id is None else "task",
        caller_id=task_id or evidence.conversation_id or "",
        vendor_id=case.vendor_id,
        since=kernel.writer.now(space_id) - rules.DAYS * DAY,
    )


def _text(ready: Prepared) -> Text:
    draft = ready.draft
    return Text(draft.kind, draft.title, draft.body, draft.tags, draft.visibility)


def _commit(tx: Tx, job: Job, result: _Result) -> None:
    """Under the lock: what was found out becomes of the draft, if there still is one. Raises `_OffError`."""
    jobs.finish(tx, job)
    draft = proposals.find(tx.connection, tx.space_id, str(job.payload["proposal_id"]))
    if draft is None or draft.status != "drafting":
        return
    outcome = result.outcome
    if not space_settings.load(tx.connection, tx.space_id).enabled:
        raise _OffError
    if not conversations.are_kept(tx.connection, tx.space_id, result.turns):
        # Whoever was in it has been forgotten meanwhile: nothing may come of it any more.
        outcome = Failed("no_turns")
    made = _end(tx, draft, outcome, result)
    detail = {
        "status": made.status,
        "turns": len(result.turns),
        "writer": result.writer,
        "similar": len(made.similar_note_ids),
        "attempts": job.attempts + 1,
    }
    if made.problem is not None:
        detail |= {"problem": made.problem, "kinds": list(made.problem_kinds)}
    ids = {"proposal_id": made.proposal_id, "source_id": made.source_id}
    leave(tx, Receipt("distill.finish", _WORKER, "worker", made.source_id, ids, detail))


def _end(tx: Tx, draft: Proposal, outcome: Outcome, result: _Result) -> Proposal:
    if isinstance(outcome, Failed):
        return proposals.fail_draft(tx, draft.proposal_id, outcome.problem, outcome.kinds)
    ready = outcome.prepared
    personal_data.require_same(tx, ready.space)
    return proposals.settle_draft(
        tx,
        draft.proposal_id,
        _text(ready),
        evidence=draft.evidence,
        detectors=ready.detectors,
        similar=result.similar,
    )
