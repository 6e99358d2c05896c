"""What is asked for and not done yet, for who administers the space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, select

from tarimba.clock import rfc3339
from tarimba.identity.listing import Page, Window, page_of, rows_of
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.jobs.store import read_payload
from tarimba.kernel import Kernel
from tarimba.storage.tables import job

_QUERY: Final = select(job)


@dataclass(frozen=True, slots=True)
class JobEntry:
    """A job: its progress is the numbers of its payload, `problem` why it was not done the last time."""

    job_id: str
    kind: str
    state: str
    attempts: int
    problem: str | None
    created_at: int
    next_at: int
    progress: Mapping[str, int]
    ordinal: int

    def as_json(self) -> dict[str, Any]:
        return {
            "job_id": self.job_id,
            "kind": self.kind,
            "state": self.state,
            "attempts": self.attempts,
            "problem": self.problem,
            "created_at": rfc3339(self.created_at),
            "next_at": rfc3339(self.next_at),
            "progress": dict(self.progress),
        }


def list_jobs(kernel: Kernel, principal: Principal, window: Window) -> Page[JobEntry]:
    """A page of the space's jobs, oldest first. One that is done is not there any more. Raises 403."""
    allow(principal, "jobs")
    now = kernel.writer.now(principal.space_id)
    query = _QUERY.where(job.c.space_id == principal.space_id)
    with kernel.database.read() as connection:
        rows = rows_of(connection, query, job.c.ordinal, window)
    return page_of([_entry(row, now) for row in rows], window)


def _entry(row: Row[Any], now: int) -> JobEntry:
    is_running = row.leased_until is not None and row.leased_until > now
    return JobEntry(
        job_id=row.job_id,
        kind=row.kind,
        state="running" if is_running else "waiting",
        attempts=row.attempts,
        problem=row.problem,
        created_at=row.created_at,
        next_at=row.run_after,
        progress=_numbers(read_payload(row.payload) or {}),
        ordinal=row.ordinal,
    )


def _numbers(payload: Mapping[str, Any]) -> dict[str, int]:
    return {name: value for name, value in payload.items() if type(value) is int}
