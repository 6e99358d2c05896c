"""SQL of scanning again: the job with its progress, and the active heads that were checked with something else."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, bindparam, delete, exists, insert, or_, select, update

from tarimba.ids import new_id
from tarimba.notes import store
from tarimba.notes.model import Stored
from tarimba.storage import Tx
from tarimba.storage.tables import job, note_chain, note_version, space

KIND: Final = "pii.rescan"

_IS_HEAD: Final = and_(
    note_version.c.space_id == note_chain.c.space_id, note_version.c.note_id == note_chain.c.head_note_id
)
_BEHIND: Final = (note_chain.c.status == "active", note_version.c.detectors != bindparam("stamp"))
_HEADS: Final = (
    store.STORED.where(
        note_chain.c.head_note_id == note_version.c.note_id, *_BEHIND, note_chain.c.age > bindparam("after")
    )
    .order_by(note_chain.c.age)
    .limit(bindparam("most"))
)
_ANY: Final = select(exists().where(note_chain.c.space_id == bindparam("space_id"), _IS_HEAD, *_BEHIND))
_STAMP: Final = (
    update(note_version)
    .where(note_version.c.space_id == bindparam("of"), note_version.c.note_id == bindparam("note"))
    .values(detectors=bindparam("passed"))
)
_MINE: Final = (job.c.space_id == bindparam("of"), job.c.kind == KIND)
_OPEN: Final = (*_MINE, job.c.state == "ready")
_LATEST: Final = select(job).where(*_MINE).order_by(job.c.ordinal.desc()).limit(1)
_DUE: Final = (
    select(job, space.c.space_no)
    .join(space, space.c.space_id == job.c.space_id)
    .where(job.c.kind == KIND, job.c.state == "ready", job.c.run_after <= bindparam("now"))
    .order_by(job.c.space_id)
)
_HOLD: Final = (
    update(job)
    .where(
        *_OPEN,
        job.c.job_id == bindparam("which"),
        or_(
            job.c.leased_until.is_(None),
            job.c.leased_until <= bindparam("now"),
            job.c.leased_by == bindparam("by"),
        ),
    )
    .values(
        payload=bindparam("progress"),
        state=bindparam("becomes"),
        run_after=bindparam("again"),
        leased_by=bindparam("holder"),
        leased_until=bindparam("until"),
    )
)

_TAKE: Final = (
    update(job).where(*_OPEN).values(leased_by=bindparam("holder"), leased_until=bindparam("lease_until"))
)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a scan is: for what stamp, behind which age of a note, and what it found."""

    stamp: str = ""
    after: int = 0
    scanned: int = 0
    retired: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """A scan of one space. `run_after` and `leased_until` in microseconds."""

    space_id: str
    job_id: str
    progress: Progress
    is_open: bool
    leased_by: str | None
    leased_until: int | None


def has_behind(connection: Connection, space_id: str, stamp: str) -> bool:
    """Whether an active head of the space was checked with something else than `stamp`."""
    return bool(connection.scalar(_ANY, {"space_id": space_id, "stamp": stamp}))


def behind(connection: Connection, space_id: str, progress: Progress, most: int) -> list[Stored]:
    """The next active heads that were checked with something else, oldest first."""
    values = {"space_id": space_id, "stamp": progress.stamp, "after": progress.after, "most": most}
    return [store.stored(row) for row in connection.execute(_HEADS, values)]


def stamp(tx: Tx, note_id: str, passed: str) -> None:
    """Says that a version passed what the stamp `passed` stands for."""
    tx.write(_STAMP, [{"of": tx.space_id, "note": note_id, "passed": passed}])


def order(tx: Tx) -> None:
    """An open job for the space, if there is none; what an earlier one said is forgotten."""
    if tx.first(select(job.c.job_id).where(*_OPEN), {"of": tx.space_id}) is not None:
        return
    tx.write(delete(job).where(job.c.space_id == tx.space_id, job.c.kind == KIND))
    row = {
        "space_id": tx.space_id,
        "job_id": new_id(),
        "kind": KIND,
        "payload": json.dumps(asdict(Progress())),
        "state": "ready",
        "attempts": 0,
        "run_after": 0,
        "created_at": tx.now,
        "ordinal": tx.next_ordinal(),
    }
    tx.write(insert(job), [row])


def take(tx: Tx, by: str, until: int) -> None:
    """Gives the open job of the space to `by`, whoever had it."""
    tx.write(_TAKE, [{"of": tx.space_id, "holder": by, "lease_until": until}])


def latest(connection: Connection, space_id: str) -> Job | None:
    """The space's newest scan, open or done."""
    row = connection.execute(_LATEST, {"of": space_id}).first()
    return _job(row) if row else None


def due(connection: Connection, now: int) -> list[tuple[Job, int]]:
    """Open jobs whose time has come, each with the number of its space."""
    return [(_job(row), row.space_no) for row in connection.execute(_DUE, {"now": now})]


def keep(
    tx: Tx, one: Job, progress: Progress, by: str, *, lease: int = 0, wait: int = 0, done: bool = False
) -> bool:
    """Writes the progress and holds the job for `lease` microseconds more, or lets it go. False if another has it."""
    row = {
        "of": tx.space_id,
        "which": one.job_id,
        "now": tx.now,
        "by": by,
        "progress": json.dumps(asdict(progress)),
        "becomes": "done" if done else "ready",
        "again": tx.now + wait,
        "holder": by if lease else None,
        "until": tx.now + lease if lease else None,
    }
    return tx.write(_HOLD, [row]) == 1


def _job(row: Row[Any]) -> Job:
    progress = Progress(**json.loads(row.payload))
    return Job(row.space_id, row.job_id, progress, row.state == "ready", row.leased_by, row.leased_until)
