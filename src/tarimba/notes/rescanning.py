"""Scanning stored notes again when what they are checked with has changed: clean ones say so, hits are retired.

Chunk by chunk: read, check without a transaction, commit with how far the scan is. Whoever takes the job up when
a process died goes on from there. A scan under way looks at each chunk what it must check with by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job, Later, LeaseLostError
from tarimba.kernel import Kernel
from tarimba.notes import changes, rescan_store, store
from tarimba.notes.desk import tell
from tarimba.notes.model import Stored
from tarimba.notes.preparing import verdict_on
from tarimba.notes.rescan_store import Progress
from tarimba.personal_data import service as personal_data
from tarimba.personal_data.model import Knowledge, Verdict
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx

KIND: Final = "pii.rescan"
CHUNK: Final = 50
_ROUNDS: Final = 3
_WORKER: Final = Actor("system", "worker")
Checked = Sequence[tuple[Stored, Verdict]]


class RescanOrders:
    """Asks for the scans that a change of the detectors or of a space's words, customers or settings makes needed."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        # What this process has ordered scans for. Of the detectors each version once: two releases over one database,
        # or the servers of a farm that is being renewed, must not order scans against each other for ever.
        self._versions: set[str] = set()
        self._knew: dict[str, str] = {}

    def piece(self) -> bool:
        """Looks at every space once. Never says that more is waiting: the scans are jobs."""
        try:
            self._order(self._kernel.detectors.version)
        except Refusal as refusal:
            if refusal.code != "detectors_unavailable":
                raise
        return False

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
            self._kernel.writer.commit(space_id, order_rescan)
        self._versions.add(detectors)
        self._knew = known


def order_rescan(tx: Tx) -> None:
    """Asks for a scan of the space, if none is asked for yet."""
    if not jobs.is_asked_for(tx.connection, tx.space_id, KIND):
        jobs.enqueue(tx, KIND, asdict(Progress()))


def scan(kernel: Kernel, job: Job) -> Later | None:
    """The handler of the job: one chunk. Raises 503 `detectors_unavailable`."""
    _, is_done = _chunk(kernel, job, Progress(**job.payload), CHUNK)
    return None if is_done else Later(0)


def rescan(kernel: Kernel, principal: Principal, *, chunk: int = CHUNK) -> Progress:
    """Scans every active note of the space again, now, in the place of whoever was at it.

    Raises 403, 503 `detectors_unavailable`, and 409 when another process took the scan over.
    """
    allow(principal, "vocabulary")

    def begin(tx: Tx) -> Job:
        personal_data.bump(tx, suspects=True)
        jobs.drop(tx, KIND)
        return jobs.enqueue_held(tx, KIND, asdict(Progress()))

    job = kernel.writer.commit(principal.space_id, begin)
    with jobs.Leases(kernel) as leases:
        leases.add(job)
        try:
            return _whole(kernel, job, chunk)
        except LeaseLostError:
            raise Refusal("conflict", "Another process scans the notes of this space by now.") from None


def _whole(kernel: Kernel, job: Job, chunk: int) -> Progress:
    progress, is_done = Progress(), False
    while not is_done:
        progress, is_done = _chunk(kernel, job, progress, chunk)
    return progress


def _chunk(kernel: Kernel, job: Job, progress: Progress, most: int) -> tuple[Progress, bool]:
    """Scans up to `most` notes. How far the scan is then, and whether that was its end (and the job's)."""
    space = personal_data.known_by(kernel, job.space_id)
    stamp = space.stamp(kernel.detectors.version)
    progress = progress if progress.stamp == stamp else Progress(stamp)
    with kernel.database.read() as connection:
        heads = rescan_store.behind(connection, job.space_id, progress, most)
        space_no = rescan_store.space_no(connection, job.space_id)
    checked = [(head, verdict_on(kernel, space, head.note, head.note.origin)) for head in heads]
    piece = _Piece(job, space, space_no, progress)
    try:
        return kernel.writer.commit(job.space_id, lambda tx: piece.settle(tx, checked))
    except personal_data.MovedError:
        # The next chunk begins again with what the space knows by then.
        return progress, False


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some heads of a space, checked with what it knew."""

    job: Job
    space: Knowledge
    space_no: int
    progress: Progress

    def settle(self, tx: Tx, checked: Checked) -> tuple[Progress, bool]:
        """Retires what was found and stamps the rest; with nothing left, ends the job.

        Raises `MovedError`, and `LeaseLostError` when somebody else has the job.
        """
        personal_data.require_same(tx, self.space)
        if not checked:
            return self._end(tx)
        active = self._active(tx, checked)
        hits = [(now, verdict) for now, verdict in active if not verdict.clean]
        progress = replace(
            self.progress,
            after=checked[-1][0].age,
            scanned=self.progress.scanned + len(active),
            retired=self.progress.retired + len(hits),
        )
        if not jobs.keep(tx, self.job, asdict(progress)):
            raise LeaseLostError
        for now, verdict in active:
            if verdict.clean:
                rescan_store.stamp(tx, now.note.note_id, verdict.version)
            else:
                self._retire(tx, now, verdict)
        if active:
            detail = {"detectors": progress.stamp, "scanned": len(active), "retired": len(hits)}
            record(tx, Receipt("pii.rescan", _WORKER, "worker", detail=detail))
        return progress, False

    def _end(self, tx: Tx) -> tuple[Progress, bool]:
        # Behind the scan's back an import that was checked with less may have become visible. Not for ever: detectors
        # whose version does not hold would never let a scan end.
        so_far = self.progress
        if so_far.rounds < _ROUNDS and rescan_store.has_behind(tx.connection, tx.space_id, so_far.stamp):
            again = replace(so_far, after=0, rounds=so_far.rounds + 1)
            if not jobs.keep(tx, self.job, asdict(again)):
                raise LeaseLostError
            return again, False
        jobs.finish(tx, self.job)
        return self.progress, True

    @staticmethod
    def _active(tx: Tx, checked: Checked) -> list[tuple[Stored, Verdict]]:
        heads = [
            (store.version(tx.connection, tx.space_id, head.note.note_id), verdict)
            for head, verdict in checked
        ]
        return [(now, verdict) for now, verdict in heads if now is not None and now.is_active_head]

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
