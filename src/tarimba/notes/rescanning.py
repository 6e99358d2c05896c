"""Scanning stored notes again when what they are checked with has changed: clean ones say so, hits are retired.

Chunk by chunk: read, check without a transaction, commit. A process that dies leaves its lease, and what it has
committed; whoever comes next goes on from there. Two at once do no harm: each chunk looks again under the lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tarimba.clock import SECOND
from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.notes import changes, rescan_store, store
from tarimba.notes.desk import tell
from tarimba.notes.model import Stored
from tarimba.notes.preparing import verdict_on
from tarimba.notes.rescan_store import Job, Progress
from tarimba.personal_data import service as personal_data
from tarimba.personal_data.model import Knowledge, Verdict
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx

CHUNK: Final = 50
_LEASE: Final = 60 * SECOND
_WORKER: Final = Actor("system", "worker")
Checked = Sequence[tuple[Stored, Verdict]]


class Rescan:
    """The scanning of one process. `chunk` is how many notes a piece looks at."""

    def __init__(self, kernel: Kernel, *, chunk: int = CHUNK) -> None:
        self._kernel = kernel
        self._chunk = chunk
        self._me = new_id()
        # What this process has ordered scans for. Of the detectors each version once: two releases over one database,
        # or the servers of a farm that is being renewed, must not order scans against each other for ever.
        self._versions: set[str] = set()
        self._knew: dict[str, str] = {}

    def piece(self) -> bool:
        """Orders the scans that are needed and does a piece of one. Whether more is waiting."""
        try:
            self._order(self._kernel.detectors.version)
        except Refusal as refusal:
            if refusal.code != "detectors_unavailable":
                raise
            return False
        with self._kernel.database.read() as connection:
            found = rescan_store.due(connection, self._kernel.clock.now_us())
        for job, space_no in found:
            if self._is_free(job):
                return self._tried(job, space_no)
        return False

    def whole(self, space_id: str, space_no: int) -> Progress:
        """Scans every active note of a space again, to the end, in the place of whoever was at it.

        Raises 503 `detectors_unavailable`, and 409 when another process took the scan over.
        """

        def begin(tx: Tx) -> None:
            personal_data.bump(tx, suspects=True)
            rescan_store.order(tx)
            rescan_store.take(tx, self._me, tx.now + _LEASE)

        self._kernel.writer.commit(space_id, begin)
        while True:
            with self._kernel.database.read() as connection:
                job = rescan_store.latest(connection, space_id)
            if job is None or not job.is_open:
                return job.progress if job else Progress()
            if not self._is_free(job):
                raise Refusal("conflict", "A server is scanning the notes of this space already.")
            self._work(job, space_no)

    def _order(self, detectors: str) -> None:
        with self._kernel.database.read() as connection:
            stamps = {one.space_id: one.stamp(detectors) for one in personal_data.every_knowledge(connection)}
            known = {space_id: stamp.removeprefix(detectors) for space_id, stamp in stamps.items()}
            ordered = [
                space_id
                for space_id, stamp in stamps.items()
                if (detectors not in self._versions or self._knew.get(space_id) != known[space_id])
                and rescan_store.has_behind(connection, space_id, stamp)
            ]
        for space_id in ordered:
            self._kernel.writer.commit(space_id, rescan_store.order)
        self._versions.add(detectors)
        self._knew = known

    def _is_free(self, job: Job) -> bool:
        is_over = job.leased_until is None or job.leased_until <= self._kernel.writer.now(job.space_id)
        return is_over or job.leased_by == self._me

    def _tried(self, job: Job, space_no: int) -> bool:
        try:
            self._work(job, space_no)
        except Refusal as refusal:
            if refusal.code != "detectors_unavailable":
                raise
            wait = (refusal.retry_after or 1) * SECOND
            self._kernel.writer.commit(
                job.space_id, lambda tx: rescan_store.keep(tx, job, job.progress, self._me, wait=wait)
            )
            return False
        return True

    def _work(self, job: Job, space_no: int) -> None:
        kernel = self._kernel
        space = personal_data.known_by(kernel, job.space_id)
        stamp = space.stamp(kernel.detectors.version)
        progress = job.progress if job.progress.stamp == stamp else Progress(stamp)
        with kernel.database.read() as connection:
            heads = rescan_store.behind(connection, job.space_id, progress, self._chunk)
        checked = [(head, verdict_on(kernel, space, head.note, head.note.origin)) for head in heads]
        piece = _Piece(self._me, job, space, space_no, progress)
        try:
            kernel.writer.commit(job.space_id, lambda tx: piece.settle(tx, checked))
        except personal_data.MovedError:
            # The next piece begins again with what the space knows by then.
            return


def rescan(kernel: Kernel, principal: Principal) -> Progress:
    """Scans every active note of the space again, now. Raises 403, and as `Rescan.whole`."""
    allow(principal, "vocabulary")
    return Rescan(kernel).whole(principal.space_id, principal.space_no)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some heads of a space, checked with what it knew."""

    holder: str
    job: Job
    space: Knowledge
    space_no: int
    progress: Progress

    def settle(self, tx: Tx, checked: Checked) -> None:
        """Retires what was found and stamps the rest; with nothing to look at, ends the job. Raises `MovedError`."""
        personal_data.require_same(tx, self.space)
        heads = [
            (store.version(tx.connection, tx.space_id, head.note.note_id), verdict)
            for head, verdict in checked
        ]
        active = [(now, verdict) for now, verdict in heads if now is not None and now.is_active_head]
        hits = [(now, verdict) for now, verdict in active if not verdict.clean]
        progress = replace(
            self.progress,
            after=checked[-1][0].age if checked else self.progress.after,
            scanned=self.progress.scanned + len(active),
            retired=self.progress.retired + len(hits),
        )
        # Whoever holds the job meanwhile looks at the same notes.
        lease = _LEASE if checked else 0
        if rescan_store.keep(tx, self.job, progress, self.holder, lease=lease, done=not checked) and active:
            for now, verdict in hits:
                self._retire(tx, now, verdict)
            for now, verdict in active:
                if verdict.clean:
                    rescan_store.stamp(tx, now.note.note_id, verdict.version)
            detail = {"detectors": progress.stamp, "scanned": len(active), "retired": len(hits)}
            record(tx, Receipt("pii.rescan", _WORKER, "worker", detail=detail))

    def _retire(self, tx: Tx, head: Stored, verdict: Verdict) -> None:
        changes.take_out(tx, self.space_no, head)
        note = head.note
        detail = {
            "content_hash": head.content_hash,
            "version": note.version,
            "visibility": note.visibility,
            "changed": ["status"],
            "reason": "personal_data",
            "kinds": list(verdict.kinds),
        }
        ids = {"note_id": note.note_id, "source_id": note.source_id}
        record(tx, Receipt("note.retire", _WORKER, "worker", note.source_id, ids, detail))
        tell(tx, "retired", head.chain_id, note, "retired")
