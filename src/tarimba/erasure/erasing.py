"""Erasing what an agent knows: out of sight in one transaction, out of the tables in small ones, then out of the files.

The first two before the answer, as far as nothing is in the way; whatever is left is the job's. Archives, replicas
and backups are out of reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from tarimba.erasure import store
from tarimba.erasure.model import Erased
from tarimba.errors import Refusal, not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.ids import is_id
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job, Later, LeaseLostError
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.proposals import service as proposals
from tarimba.receipts.model import Actor, Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx, files
from tarimba.storage.once import Done, OnceKey, once
from tarimba.webhooks.service import announce

SCRUB: Final = "erase.scrub"
IMPORT: Final = "import"
SCRUBBED_AT_ONCE: Final = 10
RECORDS_AT_ONCE: Final = 500
_FILES: Final = "files"
_WORKER: Final = Actor("system", "worker")


def erase(kernel: Kernel, principal: Principal, source_id: str, *, once_key: OnceKey | None = None) -> Erased:
    """Erases every version of an agent's notes and every proposal. Receipts stay. Raises 403 and 404.

    Nothing is read any more when the first transaction has committed; the rows are scrubbed before the answer,
    and by the worker if the process dies before that or something is in the way.
    """
    allow(principal, "erase")
    asked: list[Job] = []

    def work(tx: Tx) -> Done:
        recheck(tx, principal)
        return once(tx, once_key, lambda: _flip(tx, principal, source_id, asked))

    done = kernel.writer.commit(principal.space_id, work)
    if not done.replayed:
        # Whatever comes of the job, what was asked for is decided and stored.
        with suppress(Refusal):
            jobs.run(kernel, asked[-1], scrub)
    assert done.seq is not None
    receipt = Recorded(done.ids["receipt_id"], done.seq, done.ids["leaf"])
    return Erased(source_id, int(done.ids["deleted"]), receipt)


def scrub(kernel: Kernel, job: Job) -> Later | None:
    """The handler of the job: deletes what is marked as erased, a few rows at a time, then cleans the files."""
    progress = job.payload
    if progress.get("stage") != _FILES:
        progress = _scrub_rows(kernel, job)
        if not kernel.database.is_sqlite:
            # Rewriting tables takes a while: a worker's work, not a request's.
            return Later(0, progress)
    beside = _beside(kernel, job.space_id)
    left = files.clean(kernel.database, "erase agent")
    if left is not None:
        return Later(files.again_after(left), progress, left)
    kernel.writer.commit(job.space_id, lambda tx: _end(tx, job, progress, beside))
    return None


def _beside(kernel: Kernel, space_id: str) -> list[Job]:
    """Other erasures whose rows are gone already: cleaning the files once is enough for all of them."""
    with kernel.database.read() as connection:
        waiting = jobs.waiting(connection, space_id, SCRUB)
    return [one for one in waiting if one.payload.get("stage") == _FILES]


def undo(kernel: Kernel, job: Job) -> Later | None:
    """The handler of an import whose process died: what it stored is erased, as nobody has seen it."""
    source_id = job.payload["source_id"]

    def work(tx: Tx) -> Job:
        jobs.finish(tx, job)
        store.mark_undone(tx, source_id)
        proposals.mark_undone(tx, source_id)
        detail = {"state": "undone"}
        record(tx, Receipt("import", _WORKER, "worker", source_id, {"source_id": source_id}, detail))
        return jobs.enqueue_held(tx, SCRUB, _begun(source_id))

    jobs.run(kernel, kernel.writer.commit(job.space_id, work), scrub)
    return None


def _begun(source_id: str) -> dict[str, Any]:
    return {"source_id": source_id, "versions": 0, "proposals": 0, "records": 0}


def _flip(tx: Tx, principal: Principal, source_id: str, asked: list[Job]) -> Done:
    if not is_id(source_id) or notes.owner(tx.connection, tx.space_id, source_id) is None:
        raise not_found("agent")
    deleted = store.versions_of(tx, source_id) + proposals.count_of(tx, source_id)
    store.mark_erased(tx, source_id)
    proposals.mark_erased(tx, source_id)
    store.delete_drafts(tx, source_id)
    # Whoever imports into the agent at this moment finds the job gone and stores nothing more.
    jobs.drop(tx, IMPORT, source_id=source_id)
    tx.changed()
    asked.append(jobs.enqueue_held(tx, SCRUB, _begun(source_id)))
    receipt = record(
        tx,
        Receipt(
            action="erase.requested",
            actor=principal.actor,
            via=principal.via,
            agent=source_id,
            objects={"source_id": source_id},
            detail={"deleted": deleted},
        ),
    )
    announce(tx, "agent_memory.erased", source_id, {"source_id": source_id, "deleted": deleted})
    ids = {"receipt_id": receipt.id, "leaf": receipt.leaf, "deleted": str(deleted)}
    return Done(200, ids, receipt.seq)


def _scrub_rows(kernel: Kernel, job: Job) -> Mapping[str, Any]:
    """Deletes every row that is marked. The progress then."""
    progress = {**_begun(job.payload["source_id"]), **job.payload}
    while progress.get("stage") != _FILES:
        progress = kernel.writer.commit(job.space_id, lambda tx: _scrub_some(tx, job, progress))  # noqa: B023
    return progress


def _scrub_some(tx: Tx, job: Job, progress: Mapping[str, Any]) -> dict[str, Any]:
    """Deletes a few rows and says so in a receipt. The progress, in its next stage when none was left."""
    source_id = progress["source_id"]
    gone = {
        "versions": _delete_versions(tx, source_id),
        "proposals": proposals.delete_of(tx, source_id, SCRUBBED_AT_ONCE),
        "records": store.delete_records(tx, source_id, RECORDS_AT_ONCE),
    }
    now = {**progress, **{name: progress[name] + count for name, count in gone.items()}}
    is_last = (
        max(gone["versions"], gone["proposals"]) < SCRUBBED_AT_ONCE and gone["records"] < RECORDS_AT_ONCE
    )
    if is_last:
        store.delete_chains(tx, source_id)
        # A round may have found the records before they were gone.
        store.delete_drafts(tx, source_id)
        now["stage"] = _FILES
    if not jobs.keep(tx, job, now):
        raise LeaseLostError
    _leave(tx, source_id, gone | {"complete": False})
    return now


def _delete_versions(tx: Tx, source_id: str) -> int:
    note_ids = store.to_scrub(tx, source_id, SCRUBBED_AT_ONCE)
    number = store.space_no(tx)
    for note_id in note_ids:
        found = notes.version(tx.connection, tx.space_id, note_id)
        if found is not None and found.head_note_id == note_id:
            notes.unindex(tx, number, found)
    if note_ids:
        store.delete_versions(tx, note_ids)
    return len(note_ids)


def _end(tx: Tx, job: Job, progress: Mapping[str, Any], beside: Sequence[Job]) -> None:
    jobs.finish(tx, job)
    _leave(tx, progress["source_id"], _counted(progress) | {"complete": True})
    for one in beside:
        if jobs.finish_waiting(tx, one):
            _leave(tx, one.payload["source_id"], _counted(one.payload) | {"complete": True})


def _counted(progress: Mapping[str, Any]) -> dict[str, int | bool]:
    return {name: progress[name] for name in ("versions", "proposals", "records")}


def _leave(tx: Tx, source_id: str, detail: Mapping[str, int | bool]) -> None:
    record(tx, Receipt("erase.scrubbed", _WORKER, "worker", source_id, {"source_id": source_id}, detail))
