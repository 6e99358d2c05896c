"""Verifying the whole log because a person asked: a job that tells how far it is, and keeps what it found."""

from __future__ import annotations

import time
from typing import Final

from tarimba.errors import not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job, Later, LeaseLostError
from tarimba.kernel import Kernel
from tarimba.proof import store
from tarimba.proof.model import Check
from tarimba.receipts.audit import verify_space
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx

KIND: Final = "receipts.check"
_TELLS_EVERY_SECONDS: Final = 0.5


def order(kernel: Kernel, principal: Principal) -> str:
    """Asks for a verification, or joins the one under way. Returns its id. Raises 403."""
    allow(principal, "receipts")

    def begin(tx: Tx) -> str:
        recheck(tx, principal)
        for one in store.checks(tx.connection, tx.space_id):
            if one.is_open:
                return one.check_id
        check_id = store.add_check(tx, principal.id)
        jobs.enqueue(tx, KIND, {"check_id": check_id})
        record(
            tx, Receipt("receipts.search", principal.actor, principal.via, detail={"asked": {"all": "check"}})
        )
        return check_id

    return kernel.writer.commit(principal.space_id, begin)


def checks(kernel: Kernel, principal: Principal) -> list[Check]:
    """The last 20 verifications, newest first. They tell of the log as a whole, so reading them leaves no receipt.

    Raises 403.
    """
    allow(principal, "receipts")
    with kernel.database.read() as connection:
        return store.checks(connection, principal.space_id)


def check(kernel: Kernel, principal: Principal, check_id: str) -> Check:
    """One of them. Raises 403 and 404."""
    allow(principal, "receipts")
    with kernel.database.read() as connection:
        found = store.check(connection, principal.space_id, check_id)
    if found is None:
        raise not_found("check")
    return found


def work(kernel: Kernel, job: Job) -> Later | None:
    """The handler of the job. Raises `VaultError`, and 503 like every read."""
    check_id = str(job.payload["check_id"])
    report = verify_space(kernel, job.space_id, reached=_Progress(kernel, job, check_id))

    def end(tx: Tx) -> None:
        jobs.finish(tx, job)
        store.finish(tx, check_id, report.as_json())

    kernel.writer.commit(job.space_id, end)
    return None


class _Progress:
    """Stores twice a second how far the verifier is."""

    def __init__(self, kernel: Kernel, job: Job, check_id: str) -> None:
        self._kernel = kernel
        self._job = job
        self._check_id = check_id
        self._told = time.monotonic()

    def __call__(self, seq: int) -> None:
        if time.monotonic() - self._told < _TELLS_EVERY_SECONDS:
            return
        self._told = time.monotonic()
        self._kernel.writer.commit(self._job.space_id, lambda tx: self._tell(tx, seq))

    def _tell(self, tx: Tx, seq: int) -> None:
        if not jobs.hold(tx, self._job):
            raise LeaseLostError
        store.reach(tx, self._check_id, seq)
