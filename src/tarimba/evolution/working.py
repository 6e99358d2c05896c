"""The job of one draft: has it written, reviews it, and commits what came of it with its own end.

Killed anywhere, the job is taken up again and begins anew: nothing is stored before the one commit.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Final

import structlog

from tarimba.clock import SECOND
from tarimba.distill.model import SilentModelError
from tarimba.distill.service import Chat, DeclinedError
from tarimba.evolution import drafting, prompt, record_store, reviewing, rules, skill_file, store
from tarimba.evolution.model import Draft, DraftWriter, Problem, Skill
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job, Later
from tarimba.kernel import Kernel
from tarimba.personal_data import service as personal_data
from tarimba.personal_data.model import Knowledge
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.webhooks.service import announce

_WORKER: Final = Actor("system", "worker")
_log = structlog.get_logger("tarimba.evolution")


class _NameTakenError(Exception):
    """Another draft of the agent got the name meanwhile."""


@dataclass(frozen=True, slots=True)
class _Case:
    """What the job is about, as it stands when the job begins."""

    draft: Draft
    operations: tuple[str, ...]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Result:
    """What the commit stores. `knew` is what the space knew when it was reviewed."""

    made: Skill | Problem
    writer: DraftWriter
    knew: Knowledge


def work(kernel: Kernel, job: Job) -> Later | None:
    """Handles one job. Raises what the worker tries again, as detectors that are silent."""
    case = _case(kernel, job)
    if case is None:
        kernel.writer.commit(job.space_id, lambda tx: jobs.finish(tx, job))
        return None
    try:
        result = _result(kernel, job, case)
    except SilentModelError as silent:
        _log.warning("evolution.no_answer", job_id=job.job_id, reason=silent.reason, attempts=job.attempts)
        return Later(rules.WAITS_S[job.attempts] * SECOND, problem="model_unavailable")
    try:
        kernel.writer.commit(job.space_id, lambda tx: _commit(tx, job, result))
    except (personal_data.MovedError, _NameTakenError):
        # What the space knows changed meanwhile, or which names are free: it is written and reviewed once more.
        return Later(SECOND, problem="unavailable")
    return None


def _case(kernel: Kernel, job: Job) -> _Case | None:
    """None when the draft was erased or ended by another run of this job."""
    with kernel.database.read() as connection:
        draft = store.find(connection, job.space_id, str(job.payload["draft_id"]))
        if draft is None or draft.state != "candidate":
            return None
        did = record_store.operations_of(connection, job.space_id, draft.source_id, draft.signature)
        return _Case(draft, did, store.names_of(connection, job.space_id, draft.source_id))


def _result(kernel: Kernel, job: Job, case: _Case) -> _Result:
    knew = personal_data.known_by(kernel, job.space_id)
    skill, writer = _written(kernel, job, case, knew.language)
    if rules.is_name(skill.name):
        skill = replace(skill, name=rules.free_name(skill.name, case.names))
    return _Result(reviewing.reviewed(kernel, knew, skill, case.operations), writer, knew)


def _written(kernel: Kernel, job: Job, case: _Case, language: str) -> tuple[Skill, DraftWriter]:
    """By the model where there is one and it answers; else from the operations alone."""
    if kernel.settings.llm_url is not None:
        try:
            offered = _offered(kernel, case, language)
        except SilentModelError as silent:
            if silent.again and job.attempts < len(rules.WAITS_S):
                raise
            offered = None
        if offered is not None:
            return offered, "model"
    draft = case.draft
    return drafting.skill_of(case.operations, draft.seen, draft.succeeded, language), "operations"


def _offered(kernel: Kernel, case: _Case, language: str) -> Skill | None:
    chat = Chat(kernel.settings)
    try:
        asked = prompt.messages(case.operations, language, secrets.token_hex(8))
        return prompt.read(chat.complete(asked, prompt.SCHEMA))
    except DeclinedError:
        return None
    finally:
        chat.close()


def _commit(tx: Tx, job: Job, result: _Result) -> None:
    """Under the lock: what was found out becomes of the draft, if there still is one."""
    jobs.finish(tx, job)
    draft = store.find(tx.connection, tx.space_id, str(job.payload["draft_id"]))
    if draft is None or draft.state != "candidate":
        return
    personal_data.require_same(tx, result.knew)
    made = result.made
    detail: dict[str, str | int] = {"writer": result.writer, "attempts": job.attempts + 1}
    if isinstance(made, Skill):
        _put_up(tx, draft, made, result.writer)
        detail |= {"state": "pending"}
    else:
        store.settle(tx, draft.draft_id, state="quarantined", problem=made, writer=result.writer)
        detail |= {"state": "quarantined", "problem": made}
    ids = {"draft_id": draft.draft_id, "source_id": draft.source_id}
    record(tx, Receipt("evolution.round", _WORKER, "worker", draft.source_id, ids, detail))


def _put_up(tx: Tx, draft: Draft, made: Skill, writer: DraftWriter) -> None:
    """From now on the draft waits for a person."""
    if made.name in store.names_of(tx.connection, tx.space_id, draft.source_id):
        raise _NameTakenError
    text = skill_file.written(made)
    store.settle(tx, draft.draft_id, state="pending", name=made.name, text=text, writer=writer)
    data: dict[str, str | int | None] = {
        "draft_id": draft.draft_id,
        "source_id": draft.source_id,
        "seen": draft.seen,
        "succeeded": draft.succeeded,
        "writer": writer,
    }
    announce(tx, "skill.drafted", draft.draft_id, data)
