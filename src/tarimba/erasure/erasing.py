"""Erasing what an agent knows: out of sight in one transaction, out of the tables in small ones.

On SQLite the text is then gone from the files too. On PostgreSQL the rows are deleted; their bytes stay in the
table's dead space and in the write-ahead log until VACUUM FULL and the change of log files, which is work of the
operator or of a later job. Archives, replicas and backups are out of reach on both.
"""

from __future__ import annotations

import json

from tarimba.erasure import store
from tarimba.erasure.model import Erased
from tarimba.errors import not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.receipts.model import Actor, Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, once
from tarimba.webhooks.service import announce

SCRUBBED_AT_ONCE = 10
_WORKER = Actor("system", "worker")


def erase(kernel: Kernel, principal: Principal, source_id: str, *, once_key: OnceKey | None = None) -> Erased:
    """Erases every version of an agent's notes. Receipts stay. Raises 403 and 404.

    Nothing is read any more when the first transaction has committed; the text is scrubbed before the answer,
    and by `resume` if the process dies before that.
    """
    allow(principal, "erase")

    def work(tx: Tx) -> Done:
        recheck(tx, principal)
        return once(tx, once_key, lambda: _flip(tx, principal, source_id))

    done = kernel.writer.commit(principal.space_id, work)
    if not done.replayed:
        scrub(kernel, principal.space_id, source_id, done.ids["job_id"])
    assert done.seq is not None
    receipt = Recorded(done.ids["receipt_id"], done.seq, done.ids["leaf"])
    return Erased(source_id, int(done.ids["deleted"]), receipt)


def scrub(kernel: Kernel, space_id: str, source_id: str, job_id: str) -> None:
    """Deletes what is marked as erased, a few versions at a time; safe to run again and by two at once."""
    while not kernel.writer.commit(space_id, lambda tx: _scrub_some(tx, source_id)):
        continue
    # The job stays for the next start when a reader keeps the old pages of the file in use.
    if store.flush_file(kernel.database):
        kernel.writer.commit(space_id, lambda tx: store.end_job(tx, job_id))


def resume(kernel: Kernel) -> None:
    """Finishes erasures and undoes imports that a dead process left behind. Called at the start."""
    for left in store.open_jobs(kernel.database):
        source_id = json.loads(left.payload)["source_id"]
        job_id = left.job_id
        if left.kind == store.IMPORT:
            # Another process may be at it: it renews the lease with every part.
            if left.leased_until is not None and left.leased_until > kernel.writer.now(left.space_id):
                continue
            job_id = undo_import(kernel, left.space_id, source_id, left.job_id)
        scrub(kernel, left.space_id, source_id, job_id)


def undo_import(kernel: Kernel, space_id: str, source_id: str, import_job: str) -> str:
    """Marks what an unfinished import stored as erased. Returns the job that scrubs it."""

    def work(tx: Tx) -> str:
        store.end_job(tx, import_job)
        store.mark_undone(tx, source_id)
        detail = {"state": "undone"}
        record(tx, Receipt("import", _WORKER, "worker", source_id, {"source_id": source_id}, detail))
        return store.add_job(tx, store.SCRUB, {"source_id": source_id})

    return kernel.writer.commit(space_id, work)


def _flip(tx: Tx, principal: Principal, source_id: str) -> Done:
    if not is_id(source_id) or notes.owner(tx.connection, tx.space_id, source_id) is None:
        raise not_found("agent")
    deleted = store.versions_of(tx, source_id)
    store.mark_erased(tx, source_id)
    tx.changed()
    job_id = store.add_job(tx, store.SCRUB, {"source_id": source_id})
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
    ids = {"receipt_id": receipt.id, "leaf": receipt.leaf, "job_id": job_id, "deleted": str(deleted)}
    return Done(200, ids, receipt.seq)


def _scrub_some(tx: Tx, source_id: str) -> bool:
    """Deletes a few versions and says so in a receipt. True when none was left."""
    note_ids = store.to_scrub(tx, source_id, SCRUBBED_AT_ONCE)
    number = store.space_no(tx)
    for note_id in note_ids:
        found = notes.version(tx.connection, tx.space_id, note_id)
        if found is not None and found.head_note_id == note_id:
            notes.unindex(tx, number, found)
    is_last = len(note_ids) < SCRUBBED_AT_ONCE
    if note_ids:
        store.delete_versions(tx, note_ids)
    if is_last:
        store.delete_chains(tx, source_id)
    detail = {"versions": len(note_ids), "complete": is_last}
    record(tx, Receipt("erase.scrubbed", _WORKER, "worker", source_id, {"source_id": source_id}, detail))
    return is_last
