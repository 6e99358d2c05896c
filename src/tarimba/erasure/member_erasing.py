"""Erasing what a member keeps: workspaces, sessions, graph, versions, own skills, secrets. The person stays.

The rows a few at a time, then the folders on this host's disk, then the bytes in the database's files; what is left or
in the way is the job's. Receipts stay. Archives, replicas, backups and the disks of other hosts are out of reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from tarimba.clock import SECOND
from tarimba.erasure import member_store as store
from tarimba.erasure.model import ErasedMember
from tarimba.errors import Refusal, not_found
from tarimba.graph import service as graph
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow, may
from tarimba.identity.service import recheck
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job, Later, LeaseLostError
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor, Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx, files
from tarimba.storage.once import Done, OnceKey, once
from tarimba.workspaces import service as workspaces

ERASE_MEMBER: Final = "member.erase"
_ACT: Final = "erasure of the member"
_ROWS_AT_ONCE: Final = 500
_ROWS, _DISK, _FILES = "rows", "disk", "files"
_DISK_IN_USE: Final = "disk_in_use"
_DISK_AGAIN: Final = 60 * SECOND
_WORKER: Final = Actor("system", "worker")


def erase_member(
    kernel: Kernel, principal: Principal, named: str, *, once_key: OnceKey | None = None
) -> ErasedMember:
    """Erases all that a person (by id, for the host also by slug) keeps with any agent. Raises 403 and 404.

    By the person or an owner. Rows and folders are gone before the answer, as far as nothing is in the way.
    """
    person_id = _allowed(kernel, principal, named)
    asked: list[Job] = []

    def work(tx: Tx) -> Done:
        recheck(tx, principal)
        return once(tx, once_key, lambda: _request(tx, principal, person_id, asked))

    done = kernel.writer.commit(principal.space_id, work)
    if not done.replayed:
        # Whatever comes of the job, what was asked for is decided and stored.
        with suppress(Refusal):
            jobs.run(kernel, asked[-1], scrub_member)
    assert done.seq is not None
    receipt = Recorded(done.ids["receipt_id"], done.seq, done.ids["leaf"])
    return ErasedMember(person_id, _is_complete(kernel, principal.space_id, person_id), receipt)


def scrub_member(kernel: Kernel, job: Job) -> Later | None:
    """The handler of the job: goes on where it was, stage by stage."""
    progress: Mapping[str, Any] = dict(job.payload)
    while progress["stage"] == _ROWS:
        progress = kernel.writer.commit(job.space_id, lambda tx: _scrub_some(tx, job, progress))  # noqa: B023
    if progress["stage"] == _DISK:
        try:
            progress = _empty_disk(kernel, job, progress)
        except (OSError, Refusal):
            return Later(_DISK_AGAIN, progress, _DISK_IN_USE)
        if not kernel.database.is_sqlite:
            # Rewriting tables takes a while: a worker's work, not a request's.
            return Later(0, progress)
    beside = _beside(kernel, job.space_id)
    left = files.clean(kernel.database, _ACT)
    if left is not None:
        return Later(files.again_after(left), progress, left)
    kernel.writer.commit(job.space_id, lambda tx: _end(tx, job, progress, beside))
    return None


def _allowed(kernel: Kernel, principal: Principal, named: str) -> str:
    if principal.kind == "person" and principal.id != named and not may(principal, "erase_member"):
        # Who else there is, is nothing that a member is told.
        raise not_found("person")
    if principal.kind != "person":
        allow(principal, "erase_member")
    with kernel.database.read() as connection:
        found = store.person_named(connection, principal.space_id, named)
    if found is None or (principal.kind != "host" and found != named):
        raise not_found("person")
    return found


def _request(tx: Tx, principal: Principal, person_id: str, asked: list[Job]) -> Done:
    # One that is under way for the same person is done beside this one, from the beginning.
    jobs.drop(tx, ERASE_MEMBER, person_id=person_id)
    payload = {"person_id": person_id, "stage": _ROWS, "graphs": 0, "rows": 0}
    asked.append(jobs.enqueue_held(tx, ERASE_MEMBER, payload))
    tx.changed()
    detail = {"what": "member"}
    receipt = record(
        tx,
        Receipt(
            "erase.requested",
            principal.actor,
            principal.via,
            objects={"person_id": person_id},
            detail=detail,
        ),
    )
    return Done(200, {"receipt_id": receipt.id, "leaf": receipt.leaf}, receipt.seq)


def _scrub_some(tx: Tx, job: Job, progress: Mapping[str, Any]) -> dict[str, Any]:
    """Deletes some rows and says so in a receipt. The progress, in its next stage when none was left."""
    person_id = progress["person_id"]
    now = dict(progress)
    scopes = graph.seats_of(tx.connection, tx.space_id, person_id)
    if scopes:
        now["graphs"] += 0 if graph.erase(tx, scopes[0], _ROWS_AT_ONCE) else 1
    else:
        rows, more = workspaces.erase_rows(tx, person_id, _ROWS_AT_ONCE)
        now["rows"] += rows
        now["stage"] = _ROWS if more else _DISK
    if not jobs.keep(tx, job, now):
        raise LeaseLostError
    tx.changed()
    _leave(tx, now, is_complete=False)
    return now


def _empty_disk(kernel: Kernel, job: Job, progress: Mapping[str, Any]) -> dict[str, Any]:
    """Takes out the folders, and says after each part that the job is still being done."""
    more, now = True, dict(progress)
    while more:
        more = workspaces.take_out(kernel.settings.data, job.space_id, progress["person_id"])
        now = {**progress, "stage": _DISK if more else _FILES}
        if not kernel.writer.commit(job.space_id, lambda tx: jobs.keep(tx, job, now)):  # noqa: B023
            raise LeaseLostError
    return now


def _beside(kernel: Kernel, space_id: str) -> list[Job]:
    """Other erasures whose rows are gone already: cleaning the files once is enough for all of them."""
    with kernel.database.read() as connection:
        waiting = jobs.waiting(connection, space_id, ERASE_MEMBER)
    return [one for one in waiting if one.payload.get("stage") == _FILES]


def _end(tx: Tx, job: Job, progress: Mapping[str, Any], beside: Sequence[Job]) -> None:
    jobs.finish(tx, job)
    _leave(tx, progress, is_complete=True)
    for one in beside:
        if jobs.finish_waiting(tx, one):
            _leave(tx, one.payload, is_complete=True)


def _leave(tx: Tx, progress: Mapping[str, Any], *, is_complete: bool) -> None:
    counted = {name: progress[name] for name in ("graphs", "rows")}
    objects = {"person_id": progress["person_id"]}
    detail = {"what": "member", **counted, "complete": is_complete}
    record(tx, Receipt("erase.scrubbed", _WORKER, "worker", objects=objects, detail=detail))


def _is_complete(kernel: Kernel, space_id: str, person_id: str) -> bool:
    with kernel.database.read() as connection:
        return not jobs.is_asked_for(connection, space_id, ERASE_MEMBER, person_id=person_id)
