"""Asking for work and ending it, each in the transaction of the change that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection

from tarimba.clock import SECOND
from tarimba.ids import new_id
from tarimba.jobs import store
from tarimba.jobs.model import Job, LeaseLostError
from tarimba.storage import Tx

# Short, so that what a killed process held is soon taken up again; workers extend it while a handler waits.
LEASE: Final = 30 * SECOND


def enqueue(tx: Tx, kind: str, payload: Mapping[str, Any], *, wait_us: int = 0) -> str:
    """Asks for work: it is there if and only if the caller's transaction commits. Returns the job's id.

    `payload` holds ids, codes and numbers: no text, and nothing that a caller chose.
    """
    return store.add(tx, kind, payload, tx.now + wait_us, None)


def enqueue_held(tx: Tx, kind: str, payload: Mapping[str, Any]) -> Job:
    """Asks for work that the caller does itself, at once: workers take it up only when the lease runs out."""
    holder = new_id()
    job_id = store.add(tx, kind, payload, tx.now, (holder, tx.now + LEASE))
    return Job(tx.space_id, job_id, kind, dict(payload), 0, holder)


def hold(tx: Tx, job: Job) -> bool:
    """Whether the caller still has the job, and then has it longer. Commit nothing of it when False."""
    return store.hold(tx, job.job_id, job.holder, tx.now + LEASE)


def keep(tx: Tx, job: Job, payload: Mapping[str, Any]) -> bool:
    """As `hold`, and stores how far the work is."""
    return store.keep(tx, job.job_id, job.holder, tx.now + LEASE, payload)


def finish(tx: Tx, job: Job) -> None:
    """Ends the job in the transaction of its effect. Raises `LeaseLostError`, so that neither commits."""
    if not store.finish(tx, job.job_id, job.holder):
        raise LeaseLostError


def give_back(tx: Tx, job_id: str, holder: str) -> bool:
    """Frees a job as it is, undone. False when it is another's by now, or gone."""
    return store.give_back(tx, job_id, holder)


def is_asked_for(connection: Connection, space_id: str, kind: str, **about: str) -> bool:
    """Whether the space has a job of this kind whose payload says what `about` says, waiting or under way."""
    return any(about.items() <= one.payload.items() for one, _ in store.of_kind(connection, space_id, kind))


def drop(tx: Tx, kind: str, **about: str) -> int:
    """Takes out the jobs of a kind whose payload says what `about` says, whoever has them. Returns how many.

    What they are about is gone, or the caller does it in their place: whoever holds one commits nothing more.
    """
    found = [
        one
        for one, _ in store.of_kind(tx.connection, tx.space_id, kind)
        if about.items() <= one.payload.items()
    ]
    for one in found:
        store.drop(tx, one.job_id)
    return len(found)


def waiting(connection: Connection, space_id: str, kind: str) -> list[Job]:
    """The jobs of a kind that nobody has, for who does the same for all of them at once."""
    return [one for one, is_held in store.of_kind(connection, space_id, kind) if not is_held]


def finish_waiting(tx: Tx, job: Job) -> bool:
    """Ends a job that was done beside another. False when somebody has taken it meanwhile: then it is theirs."""
    return store.drop_free(tx, job.job_id)
