"""Forgetting a customer or a conversation: who it was goes at once, what was recorded by a job, in parts.

The one receipt is the request's. It names neither the customer nor the conversation, so that the log knows no more of
them afterwards than before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import structlog

from tarimba import journal
from tarimba.clock import SECOND, rfc3339
from tarimba.conversations import forget_store as store
from tarimba.conversations.handles import handle_mac
from tarimba.conversations.model import Erasure, Target
from tarimba.errors import not_found
from tarimba.identity.changes import commit_change, done, leave, receipt_of
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import new_id
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job, Later, LeaseLostError
from tarimba.kernel import Kernel
from tarimba.personal_data import service as personal_data
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx, files
from tarimba.storage.once import Done, OnceKey
from tarimba.vault import SpaceKey

FORGET: Final = "conversations.forget"
_FILES: Final = "files"
_NOT_JOURNALED: Final = "journal_not_written"
_JOURNAL_AGAIN: Final = 5 * SECOND
_log = structlog.get_logger("tarimba.conversations")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was taken, with its receipt."""

    erasure: Erasure
    receipt: Recorded | None


def forget(kernel: Kernel, principal: Principal, target: Target, once_key: OnceKey | None = None) -> Asked:
    """Asks for a customer, or one conversation, to be forgotten. Raises 403.

    Who is not known is forgotten too: there is nothing to be done then, and the answer is the same.
    """
    allow(principal, "forget")
    key = kernel.keys.of(principal.space_id)

    def work(tx: Tx) -> Done:
        request_id = new_id()
        found = (
            _of_conversation(tx, key, target)
            if target.kind == "conversation"
            else _of_person(tx, key, target)
        )
        target_id = found.shown or request_id
        store.add_request(tx, request_id, target.kind, target_id, principal.id)
        if kernel.settings.erasure_file is None:
            found = replace(found, handles=frozenset())
        jobs.enqueue(tx, FORGET, {"request_id": request_id, **found.payload()})
        receipt = leave(tx, principal, "forget", {"request_id": request_id}, {"target": target.kind})
        return done(202, receipt, request_id=request_id)

    change = commit_change(kernel, principal, "forget", once_key, work)
    return Asked(read_request(kernel, principal, change.ids["request_id"]), receipt_of(change))


def read_request(kernel: Kernel, principal: Principal, request_id: str) -> Erasure:
    """How far a request is. Raises 403 and 404."""
    allow(principal, "forget")
    with kernel.database.read() as connection:
        found = store.request(connection, principal.space_id, request_id)
    if found is None:
        raise not_found("request")
    return found


def erase(kernel: Kernel, job: Job) -> Later | None:
    """The job's handler: deletes part by part, then cleans the files, then says so."""
    progress = job.payload
    if progress.get("stage") != _FILES:
        if not _journaled(kernel, job):
            return Later(_JOURNAL_AGAIN, None, _NOT_JOURNALED)
        if not _deleted(kernel, job):
            return None
        progress = {"request_id": job.payload["request_id"], "stage": _FILES}
        kernel.writer.commit(job.space_id, lambda tx: _keep(tx, job, progress))
    with kernel.database.read() as connection:
        waiting = jobs.waiting(connection, job.space_id, FORGET)
    # Cleaning the files once is enough for every request whose rows are gone.
    beside = [one for one in waiting if one.payload.get("stage") == _FILES]
    left = files.clean(kernel.database, "forget")
    if left is not None:
        return Later(files.again_after(left), progress, left)
    kernel.writer.commit(job.space_id, lambda tx: _finish(tx, job, beside))
    return None


def forget_again(kernel: Kernel, principal: Principal, entry: Mapping[str, Any]) -> bool:
    """Forgets what a line of the journal names, in a restored database, down to its rows.

    False when the database has the request itself: who came back after it is not forgotten a second time. Handles that
    led elsewhere when the backup was taken lead there: rather too much is forgotten than too little.
    """
    allow(principal, "forget")
    told, request_id = _Found.of(entry), str(entry.get("request_id") or new_id())
    with kernel.database.read() as connection:
        if store.request(connection, principal.space_id, request_id) is not None:
            return False
    asked: list[Job] = []

    def work(tx: Tx) -> None:
        named = {*told.profiles, *store.profiles(tx, None, told.handles)}
        for profile_id in told.profiles:
            named |= store.profiles(tx, profile_id, ())
        known = {*told.handles, *store.handle_macs(tx, named)}
        personal_data.unlearn(tx, sorted(named), sorted(known))
        store.drop_people(tx, named)
        found = replace(told, profiles=frozenset(named), handles=frozenset(known))
        kind = "profile" if named else "conversation"
        store.add_request(tx, request_id, kind, min(named, default=request_id), principal.id)
        asked.append(jobs.enqueue_held(tx, FORGET, {"request_id": request_id, **found.payload()}))
        leave(tx, principal, "forget", {"request_id": request_id}, {"target": "journal"})

    kernel.writer.commit(principal.space_id, work)
    jobs.run(kernel, asked[-1], erase)
    return True


def erasure_json(erasure: Erasure) -> dict[str, Any]:
    """On the wire; `completed_at` only when it is completed."""
    shown = {
        "request_id": erasure.request_id,
        "status": erasure.status,
        "target_kind": erasure.target_kind,
        "target_id": erasure.target_id,
        "requested_at": rfc3339(erasure.requested_at),
    }
    if erasure.completed_at is not None:
        shown["completed_at"] = rfc3339(erasure.completed_at)
    return shown


@dataclass(frozen=True, slots=True)
class _Found:
    """What a request is about: profiles, commitments to ids, conversations. `shown` is the id that the answer has."""

    profiles: frozenset[str] = frozenset()
    macs: frozenset[str] = frozenset()
    refs: frozenset[str] = frozenset()
    shown: str | None = None
    # Of the customer's handles, for the journal: nothing else in the job needs them.
    handles: frozenset[str] = frozenset()

    def payload(self) -> dict[str, Any]:
        return {
            "profiles": sorted(self.profiles),
            "macs": sorted(self.macs),
            "refs": sorted(self.refs),
            "handles": sorted(self.handles),
        }

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> _Found:
        """Read back from a job or a line of the journal; whatever is missing there is empty."""
        profiles, macs, refs, handles = (
            frozenset(map(str, told.get(name) or ())) for name in ("profiles", "macs", "refs", "handles")
        )
        return cls(profiles, macs, refs, handles=handles)


def _of_person(tx: Tx, key: SpaceKey, target: Target) -> _Found:
    """The customer with that handle or profile. Handles, links and what is known of them go here and now."""
    macs: tuple[str, ...] = ()
    ids: frozenset[str] = frozenset()
    if target.kind == "handle":
        macs = (handle_mac(key, target.handle_type, target.value, target.scope),)
        ids = _as_ids(key, target.value)
    profiles = store.profiles(tx, target.value if target.kind == "profile" else None, macs)
    known = (*macs, *store.handle_macs(tx, profiles))
    personal_data.unlearn(tx, sorted(profiles), known)
    store.drop_people(tx, profiles)
    return _Found(profiles, ids, shown=min(profiles, default=None), handles=frozenset(known))


def _of_conversation(tx: Tx, key: SpaceKey, target: Target) -> _Found:
    """The conversation with that id or surrogate, of whichever agent."""
    rows = store.conversations(tx, key.commit(target.value), target.value)
    macs = {key.commit(target.value), *(row.mac for row in rows), *store.macs_behind(tx, target.value)}
    refs = frozenset(row.conversation_ref for row in rows)
    return _Found(macs=frozenset(macs), refs=refs, shown=min(refs, default=None))


def _as_ids(key: SpaceKey, value: str) -> frozenset[str]:
    """Commitments to a handle's value as an id: the id of a WhatsApp conversation is often a telephone number."""
    digits = re.sub(r"\D", "", value)
    return frozenset(
        key.commit(one) for one in {value, value.strip(), digits, f"+{digits}"} if one.strip("+")
    )


def _journaled(kernel: Kernel, job: Job) -> bool:
    """Whether the journal has what is about to be deleted. True where there is none to be kept."""
    path = kernel.settings.erasure_file
    if path is None:
        return True
    entry = {"space_id": job.space_id, "at": rfc3339(kernel.clock.now_us()), "what": journal.FORGOTTEN}
    try:
        journal.add(path, [entry | dict(job.payload)])
    except OSError as error:
        _log.error("journal.not_written", error=type(error).__name__)
        return False
    return True


def _deleted(kernel: Kernel, job: Job) -> bool:
    """Deletes the rows, a part in each transaction. False when another worker has the job."""
    found = _Found.of(job.payload)

    def step(tx: Tx) -> bool | None:
        if not jobs.hold(tx, job):
            return None
        store.set_status(tx, job.payload["request_id"], "running")
        return store.delete_some(tx, found.profiles, found.macs, found.refs)

    more = kernel.writer.commit(job.space_id, step)
    while more:
        more = kernel.writer.commit(job.space_id, step)
    return more is False


def _keep(tx: Tx, job: Job, progress: Mapping[str, Any]) -> None:
    """What the request was about is known no longer, not even to its job."""
    if not jobs.keep(tx, job, progress):
        raise LeaseLostError


def _finish(tx: Tx, job: Job, beside: Sequence[Job]) -> None:
    jobs.finish(tx, job)
    store.set_status(tx, job.payload["request_id"], "completed")
    for one in beside:
        if jobs.finish_waiting(tx, one):
            store.set_status(tx, one.payload["request_id"], "completed")
