"""SQL of jobs: who holds which until when. Every change happens under the lock of the space."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Update, bindparam, case, delete, func, insert, or_, select, update

from tarimba.ids import new_id
from tarimba.jobs.model import Job
from tarimba.storage import Tx
from tarimba.storage.tables import job, space_head

_ONE: Final = (job.c.space_id == bindparam("of"), job.c.job_id == bindparam("which"))
_HELD: Final = (*_ONE, job.c.leased_by == bindparam("holder"))
# Of each space the longest waiting first, and no second one of a space before the first of all.
_PLACE: Final = (
    func.row_number()
    .over(partition_by=job.c.space_id, order_by=(job.c.run_after, job.c.ordinal))
    .label("place")
)
_DUE: Final = (
    select(job.c.space_id, job.c.job_id, job.c.run_after, job.c.ordinal, _PLACE)
    .join(space_head, space_head.c.space_id == job.c.space_id)
    .where(
        job.c.state == "ready",
        job.c.kind.in_(bindparam("kinds", expanding=True)),
        # The time of a space can be ahead of this machine's: after its clock was set back, or on another host.
        or_(job.c.run_after <= bindparam("now"), job.c.run_after <= space_head.c.last_at),
        or_(
            job.c.leased_until.is_(None),
            job.c.leased_until <= bindparam("now"),
            job.c.leased_until <= space_head.c.last_at,
        ),
    )
    .subquery()
)
_NEXT: Final = (
    select(_DUE.c.space_id, _DUE.c.job_id)
    .order_by(_DUE.c.place, _DUE.c.run_after, _DUE.c.space_id)
    .limit(bindparam("most"))
)
_IS_FREE: Final = or_(job.c.leased_until.is_(None), job.c.leased_until <= bindparam("now"))
_TAKE: Final = (
    update(job)
    .where(*_ONE, job.c.state == "ready", job.c.run_after <= bindparam("now"), _IS_FREE)
    .values(
        # Whoever had it died or was cut off: that was an attempt.
        attempts=job.c.attempts + case((job.c.leased_until.is_(None), 0), else_=1),
        leased_by=bindparam("holder"),
        leased_until=bindparam("until"),
    )
)
_GET: Final = select(job).where(*_HELD)
_HOLD: Final = update(job).where(*_HELD).values(leased_until=bindparam("until"))
_KEEP: Final = _HOLD.values(payload=bindparam("progress"))
_FINISH: Final = delete(job).where(*_HELD)
_OF_KIND: Final = select(job.c.job_id, job.c.payload, job.c.leased_by).where(
    job.c.space_id == bindparam("of"), job.c.kind == bindparam("wanted")
)
_DROP: Final = delete(job).where(*_ONE)
_DROP_FREE: Final = _DROP.where(job.c.leased_by.is_(None))
_FREE: Final[Mapping[str, Any]] = {"leased_by": None, "leased_until": None}
_GIVE_BACK: Final = update(job).where(*_HELD).values(**_FREE)
_POSTPONE: Final = (
    update(job)
    .where(*_HELD)
    .values(
        run_after=bindparam("again"),
        payload=func.coalesce(bindparam("progress", type_=job.c.payload.type), job.c.payload),
        problem=bindparam("why"),
        attempts=bindparam("tries"),
        **_FREE,
    )
)


def add(tx: Tx, kind: str, payload: Mapping[str, Any], run_after: int, lease: tuple[str, int] | None) -> str:
    """A job that is due at `run_after`, leased already to `(holder, until)` when given. Returns its id."""
    job_id = new_id()
    row = {
        "space_id": tx.space_id,
        "job_id": job_id,
        "kind": kind,
        "payload": json.dumps(dict(payload)),
        "state": "ready",
        "attempts": 0,
        "run_after": run_after,
        "leased_by": lease[0] if lease else None,
        "leased_until": lease[1] if lease else None,
        "created_at": tx.now,
        "ordinal": tx.next_ordinal(),
    }
    tx.write(insert(job), [row])
    return job_id


def due(connection: Connection, kinds: Sequence[str], now: int, most: int) -> list[tuple[str, str]]:
    """`(space_id, job_id)` of jobs that look free and due: the first of each space, then the second of each ..."""
    found = connection.execute(_NEXT, {"kinds": list(kinds), "now": now, "most": most})
    return [(row.space_id, row.job_id) for row in found]


def take(tx: Tx, job_id: str, holder: str, until: int) -> Row[Any] | None:
    """Leases the job if it is still free and due. None when it is not."""
    mine = {"of": tx.space_id, "which": job_id, "holder": holder}
    if not tx.write(_TAKE, [{**mine, "now": tx.now, "until": until}]):
        return None
    return tx.first(_GET, mine)


def hold(tx: Tx, job_id: str, holder: str, until: int) -> bool:
    """Extends the lease. False when the job is another's, or gone."""
    return _wrote(tx, _HOLD, {"which": job_id, "holder": holder, "until": until})


def keep(tx: Tx, job_id: str, holder: str, until: int, payload: Mapping[str, Any]) -> bool:
    """Extends the lease and stores the payload. False when the job is another's, or gone."""
    progress = json.dumps(dict(payload))
    return _wrote(tx, _KEEP, {"which": job_id, "holder": holder, "until": until, "progress": progress})


def finish(tx: Tx, job_id: str, holder: str) -> bool:
    """Takes the job out. False when it is another's, or gone."""
    return tx.write(_FINISH, [{"of": tx.space_id, "which": job_id, "holder": holder}]) == 1


def give_back(tx: Tx, job_id: str, holder: str) -> bool:
    """Ends the lease and nothing else. False when the job is another's, or gone."""
    return _wrote(tx, _GIVE_BACK, {"which": job_id, "holder": holder})


def postpone(
    tx: Tx, held: Job, run_after: int, payload: str | None, problem: str | None, attempts: int
) -> bool:
    """Lets the job go until `run_after`, with `payload` in the place of what is stored, if given.

    False when it is another's, or gone.
    """
    row = {"which": held.job_id, "holder": held.holder, "again": run_after, "why": problem}
    return _wrote(tx, _POSTPONE, {**row, "progress": payload, "tries": attempts})


def of_kind(connection: Connection, space_id: str, kind: str) -> list[tuple[Job, bool]]:
    """Every job of a kind in a space, and whether somebody has it; a payload that can't be read is empty."""
    found = connection.execute(_OF_KIND, {"of": space_id, "wanted": kind})
    return [
        (
            Job(space_id, row.job_id, kind, read_payload(row.payload) or {}, 0, row.leased_by or ""),
            row.leased_by is not None,
        )
        for row in found
    ]


def drop(tx: Tx, job_id: str) -> None:
    """Takes a job out, whoever has it."""
    tx.write(_DROP, [{"of": tx.space_id, "which": job_id}])


def drop_free(tx: Tx, job_id: str) -> bool:
    """Takes a job out that nobody has. False when somebody has it by now, or it is gone."""
    return tx.write(_DROP_FREE, [{"of": tx.space_id, "which": job_id}]) == 1


def read_payload(payload: str) -> dict[str, Any] | None:
    """A payload as it was given; None for one that can't be read."""
    try:
        read = json.loads(payload)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def _wrote(tx: Tx, statement: Update, row: Mapping[str, Any]) -> bool:
    return tx.write(statement, [{"of": tx.space_id, **row}]) == 1
