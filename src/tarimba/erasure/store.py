"""SQL of erasing and importing: chains by agent, the rows to scrub, the jobs that finish what was begun."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import and_, bindparam, delete, func, insert, select, update

from tarimba.ids import new_id
from tarimba.storage import Database, Tx
from tarimba.storage.tables import job, note_chain, note_outcome, note_version, space

SCRUB: Final = "erase.scrub"
IMPORT: Final = "import"
ERASED: Final = "erased"
# Chains of an import have these until it is complete: nothing that reads shows them.
IMPORTING: Final = {"active": "importing_active", "retired": "importing_retired"}

_SAME_CHAIN: Final = and_(
    note_version.c.space_id == note_chain.c.space_id, note_version.c.chain_id == note_chain.c.chain_id
)
_OF_AGENT: Final = (note_chain.c.space_id == bindparam("of"), note_chain.c.source_id == bindparam("by"))
_VERSIONS: Final = (
    select(func.count())
    .select_from(note_version)
    .join(note_chain, _SAME_CHAIN)
    .where(*_OF_AGENT, note_chain.c.status != ERASED)
)
_CHAINS: Final = select(func.count()).select_from(note_chain).where(*_OF_AGENT)
_ERASE: Final = update(note_chain).where(*_OF_AGENT, note_chain.c.status != ERASED).values(status=ERASED)
_SET: Final = (
    update(note_chain)
    .where(*_OF_AGENT, note_chain.c.status == bindparam("was"))
    .values(status=bindparam("becomes"))
)
_TO_SCRUB: Final = (
    select(note_version.c.note_id)
    .join_from(note_version, note_chain, _SAME_CHAIN)
    .where(*_OF_AGENT, note_chain.c.status == ERASED)
    .limit(bindparam("most"))
)
_EMPTY_CHAINS: Final = delete(note_chain).where(*_OF_AGENT, note_chain.c.status == ERASED)
_READ_FROM: Final = (
    update(note_version)
    .where(
        note_version.c.space_id == bindparam("of"),
        note_version.c.note_id.in_(
            select(note_chain.c.head_note_id).where(
                *_OF_AGENT, note_chain.c.status == bindparam("was"), note_chain.c.space_id == bindparam("of")
            )
        ),
    )
    .values(seq_from=bindparam("seq"))
)
_NEW_JOB: Final = insert(job)
_JOB: Final = (job.c.space_id == bindparam("of"), job.c.job_id == bindparam("which"))
_END_JOB: Final = delete(job).where(*_JOB)
_HOLD_JOB: Final = update(job).where(*_JOB).values(leased_until=bindparam("until"))
_OPEN_JOBS: Final = (
    select(job.c.space_id, job.c.job_id, job.c.kind, job.c.payload, job.c.leased_until)
    .where(job.c.kind.in_((SCRUB, IMPORT)), job.c.state == "ready")
    .order_by(job.c.space_id, job.c.ordinal)
)
_NUMBER: Final = select(space.c.space_no).where(space.c.space_id == bindparam("of"))


def versions_of(tx: Tx, source_id: str) -> int:
    """Versions of the agent that are not erased yet."""
    return int(tx.scalar(_VERSIONS, {"of": tx.space_id, "by": source_id}) or 0)


def has_chains(tx: Tx, source_id: str) -> bool:
    """Whether anything of the agent is stored, in whatever state."""
    return bool(tx.scalar(_CHAINS, {"of": tx.space_id, "by": source_id}))


def mark_erased(tx: Tx, source_id: str) -> None:
    """From now on nothing of the agent is read."""
    tx.write(_ERASE, [{"of": tx.space_id, "by": source_id}])


def mark_undone(tx: Tx, source_id: str) -> None:
    """Marks as erased what an import has stored and not shown; notes that the agent wrote meanwhile stay."""
    for was in IMPORTING.values():
        tx.write(_SET, [{"of": tx.space_id, "by": source_id, "was": was, "becomes": ERASED}])


def show_imported(tx: Tx, source_id: str, seq: int) -> None:
    """Makes the imported notes of the agent visible; active ones are read from the receipt at `seq` on."""
    mine = {"of": tx.space_id, "by": source_id}
    tx.write(_READ_FROM, [{**mine, "was": IMPORTING["active"], "seq": seq}])
    for status, was in IMPORTING.items():
        tx.write(_SET, [{**mine, "was": was, "becomes": status}])


def to_scrub(tx: Tx, source_id: str, most: int) -> list[str]:
    """Ids of up to `most` erased versions that are still stored."""
    return [row.note_id for row in tx.all(_TO_SCRUB, {"of": tx.space_id, "by": source_id, "most": most})]


def delete_versions(tx: Tx, note_ids: Sequence[str]) -> None:
    """Deletes versions and what was counted for them."""
    for table in (note_outcome, note_version):
        tx.write(delete(table).where(table.c.space_id == tx.space_id, table.c.note_id.in_(note_ids)))


def delete_chains(tx: Tx, source_id: str) -> None:
    """Deletes the erased chains, when their versions are gone."""
    tx.write(_EMPTY_CHAINS, [{"of": tx.space_id, "by": source_id}])


def add_job(tx: Tx, kind: str, payload: Mapping[str, str], leased_until: int | None = None) -> str:
    """A job that a restart finds. Returns its id."""
    job_id = new_id()
    row = {
        "space_id": tx.space_id,
        "job_id": job_id,
        "kind": kind,
        "payload": json.dumps(dict(payload)),
        "state": "ready",
        "attempts": 0,
        "run_after": tx.now,
        "leased_until": leased_until,
        "created_at": tx.now,
        "ordinal": tx.next_ordinal(),
    }
    tx.write(_NEW_JOB, [row])
    return job_id


def hold_job(tx: Tx, job_id: str, until: int) -> bool:
    """Says that the job is being worked on until then. False when it is not there any more."""
    return tx.write(_HOLD_JOB, [{"of": tx.space_id, "which": job_id, "until": until}]) == 1


def end_job(tx: Tx, job_id: str) -> None:
    tx.write(_END_JOB, [{"of": tx.space_id, "which": job_id}])


def open_jobs(database: Database) -> Sequence[Any]:
    """What was begun and not finished, in all spaces."""
    with database.read() as connection:
        return connection.execute(_OPEN_JOBS).all()


def space_no(tx: Tx) -> int:
    return int(tx.scalar(_NUMBER, {"of": tx.space_id}))


def flush_file(database: Database) -> bool:
    """On SQLite writes the log of changes back and empties it. False when a reader is in the way.

    With `secure_delete` the pages of the database hold no erased text; the log would, until it is truncated.
    """
    if not database.is_sqlite:
        return True
    connection = database.write_engine.raw_connection()
    try:
        busy = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        connection.close()
    return not busy
