"""Taking a file into a member's graph: all of it or nothing, and nothing of it is seen before the last.

What fits into one short transaction is one. A larger file goes in in parts, while the graph is closed: whoever reads
or writes it meanwhile is asked to come again. What a process that died had stored is taken out by a job.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from typing import Any, Final, NoReturn

from tarimba.errors import Refusal
from tarimba.graph import changes, formats, import_store, store, taking
from tarimba.graph.acting import Act, Change, Marks, Texts, commit, require_standing
from tarimba.graph.changes import Listed
from tarimba.graph.entries import EntityRecord, Fault, Record, RelationRecord, Where
from tarimba.graph.model import By, Scope
from tarimba.graph.taking import Taken
from tarimba.identity.changes import done, receipt_of
from tarimba.identity.service import recheck
from tarimba.ids import new_id
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, is_known, once

IMPORT: Final = "graph.import"
BYTES_MAX: Final = 64 * 1024 * 1024
# Entries that are named; more of them are only counted, so that the answer has an end.
NAMED_MAX: Final = 1_000
# Texts that one part brings: what that takes under the lock stays a few hundredths of a second.
_PART: Final = 120
_EACH: Final = 100


@dataclass(frozen=True, slots=True)
class Imported:
    """What was new, what was there already (`known`), and what was refused: the first of them, and how many."""

    entities: int
    observations: int
    relations: int
    known: int
    refused_count: int
    refused: tuple[Fault, ...]
    receipt: Recorded


@dataclass(slots=True)
class _Found:
    """The entries of a file, on their way: what can't be read, and what is merged when all the others are there."""

    refused: list[Fault] = field(default_factory=list)
    refused_count: int = 0
    merged: list[EntityRecord] = field(default_factory=list)

    def records(self, data: bytes) -> Iterator[Record]:
        try:
            for one in formats.read(data):
                if isinstance(one, Fault):
                    self.refuse(one)
                    continue
                if isinstance(one, RelationRecord):
                    yield one
                elif one.merged_into is None:
                    yield from _split(one)
                else:
                    self.merged += _split(one)
                    yield one
        except formats.UnreadableError as error:
            raise Refusal("invalid_input", str(error), status=400) from None

    def refuse(self, *faults: Fault) -> None:
        self.refused_count += len(faults)
        self.refused += faults[: NAMED_MAX - len(self.refused)]

    def told(self, taken: Taken) -> dict[str, Any]:
        """What the answer is built from, kept with the request's key."""
        rows = [[*asdict(one.where).values(), one.reason] for one in self.refused]
        return taken.counts | {"refused": self.refused_count, "rows": rows}


def import_graph(
    kernel: Kernel, scope: Scope, by: By, chunks: Iterator[bytes], *, once_key: OnceKey | None = None
) -> Imported:
    """Takes a file in, whatever its format. What is there already stays as it is; entries that break a rule are told.

    Raises 400 for what is no JSON, 403, 409 for more than the graph may hold, 413, 422, and 503 while another file is
    being taken in.
    """
    data = _gathered(chunks)
    whole = _whole(kernel, scope, once_key, data)
    if whole is not None:
        with kernel.database.read() as connection:
            is_again = is_known(connection, scope.space_id, whole)
        if is_again:
            return _imported(kernel.writer.commit(scope.space_id, lambda tx: once(tx, whole, _forgotten)))
    found = _Found()
    parts = _parts(found.records(data))
    first = next(parts, [])
    second = next(parts, None)
    act = Act(scope, by, "import")
    if second is None and _weight([*first, *found.merged]) <= 2 * _PART:
        return _at_once(kernel, act, found, first, whole)
    with jobs.Leases(kernel) as leases:
        running = _Running(kernel, act, found)
        running.begin(leases)
        try:
            running.run(chain([first], [second] if second else [], parts))
            done_ = kernel.writer.commit(scope.space_id, lambda tx: once(tx, whole, lambda: running.end(tx)))
        except BaseException:
            running.undo()
            raise
        if done_.replayed:
            running.undo()
    return _imported(done_)


def undo_import(kernel: Kernel, job: Job) -> None:
    """The handler of an import that did not come to its end: takes out what it stored, a few rows at a time."""
    graph_no, since = int(job.payload["graph_no"]), int(job.payload["since"])
    while True:
        with kernel.database.read() as connection:
            part = import_store.part_since(connection, job.space_id, graph_no, since)
        texts = Texts(kernel.words)
        held = import_store.indexed(texts, part)

        def work(tx: Tx, part: import_store.Part = part, held: import_store.Held = held) -> bool:
            if not jobs.hold(tx, job):
                return True
            if part.is_empty:
                import_store.close(tx, graph_no, None)
                jobs.finish(tx, job)
            else:
                import_store.take_out(tx, graph_no, part, held)
            _leave_undone(tx, job, part)
            return part.is_empty

        if kernel.writer.commit(job.space_id, work):
            return


class _Running:
    """A large file while it goes in."""

    def __init__(self, kernel: Kernel, act: Act, found: _Found) -> None:
        self._kernel = kernel
        self._act = act
        self._found = found
        self._taken = Taken()
        self._since = 0
        self._graph_no = 0
        self._job: Job | None = None

    def begin(self, leases: jobs.Leases) -> None:
        """Closes the graph. Raises 503 while another file is being taken in."""
        self._job = self._kernel.writer.commit(self._act.scope.space_id, self._begin)
        leases.add(self._job)

    def run(self, parts: Iterator[list[Record]]) -> None:
        for part in parts:
            self._store(part, lambda change, part=part: taking.take(change, part))
        merged = iter(self._found.merged)
        while late := list(islice(merged, _PART)):
            self._store(late, lambda change, late=late: taking.settle(change, late, self._since))

    def end(self, tx: Tx) -> Done:
        """Opens the graph again, with everything in it."""
        self._hold(tx)
        assert self._job is not None
        import_store.close(tx, self._graph_no, None)
        jobs.finish(tx, self._job)
        told = self._found.told(self._taken)
        counts = {name: count for name, count in told.items() if name != "rows"}
        recorded = record(tx, self._receipt({"state": "complete", **counts}))
        if self._taken.entities or self._taken.observations or self._taken.relations:
            listed = Listed(self._since, new_id(), self._act.action)
            # Row by row it would be as long as the file: what is not recorded can't be undone.
            changes.add_unrecorded(tx, self._graph_no, listed, self._act.by, recorded.id)
        return done(200, recorded, marks=json.dumps(told))

    def undo(self) -> None:
        """Takes out again what was stored; what is in the way of that is the job's."""
        assert self._job is not None
        job = self._job
        jobs.run(self._kernel, job, undo_import)

    def _begin(self, tx: Tx) -> Job:
        self._require(tx)
        at = store.graph_of(tx.connection, self._act.scope) or store.add_graph(tx, self._act.scope)
        self._since, self._graph_no = tx.next_ordinal(), at.graph_no
        import_store.close(tx, at.graph_no, self._since)
        numbers = {"graph_no": str(self._graph_no), "since": str(self._since)}
        scope = self._act.scope
        return jobs.enqueue_held(tx, IMPORT, {"source_id": scope.source_id, **scope.objects, **numbers})

    def _store(self, part: Sequence[Record], take: Any) -> None:
        texts = Texts(self._kernel.words)
        taking.prepare(texts, part)

        def work(tx: Tx) -> Taken:
            self._hold(tx)
            at = store.graph_of(tx.connection, self._act.scope, arriving=True)
            assert at is not None
            change = Change(tx, at, self._act.by, self._since, texts, self._kernel.settings)
            taken: Taken = take(change)
            store.count(tx, at.graph_no, change.entities, change.observations, change.relations)
            record(tx, self._receipt({"state": "part", **taken.counts}))
            return taken

        taken = self._kernel.writer.commit(self._act.scope.space_id, work)
        self._found.refuse(*taken.refused)
        self._taken.add(replace(taken, refused=[]))

    def _hold(self, tx: Tx) -> None:
        self._require(tx)
        assert self._job is not None
        if not jobs.hold(tx, self._job):
            raise Refusal("conflict", "The file took too long and was given up. Nothing of it was kept.")

    def _require(self, tx: Tx) -> None:
        require_standing(tx.connection, self._act.scope, self._act.by)
        if self._act.by.principal is not None:
            recheck(tx, self._act.by.principal)

    def _receipt(self, detail: dict[str, Any]) -> Receipt:
        scope, by = self._act.scope, self._act.by
        detail = {"change": "import", **detail}
        return Receipt("graph.write", by.actor, by.via, scope.source_id, scope.objects, detail)


def _at_once(
    kernel: Kernel, act: Act, found: _Found, records: list[Record], whole: OnceKey | None
) -> Imported:
    texts = Texts(kernel.words)
    taking.prepare(texts, records)

    def work(change: Change) -> Marks:
        taken = taking.take(change, records)
        taken.add(taking.settle(change, found.merged, change.number))
        now = replace(found, refused=[*found.refused])
        now.refuse(*taken.refused)
        return now.told(taken)

    written = commit(kernel, act, texts, work, whole)
    return _told(written.marks, written.receipt)


def _parts(records: Iterator[Record]) -> Iterator[list[Record]]:
    part: list[Record] = []
    weight = 0
    for one in records:
        more = _weight([one])
        if part and weight + more > _PART:
            yield part
            part, weight = [], 0
        part.append(one)
        weight += more
    if part:
        yield part


def _weight(records: Sequence[Record]) -> int:
    return sum(1 + len(one.observations) if isinstance(one, EntityRecord) else 1 for one in records)


def _split(one: EntityRecord) -> Iterator[EntityRecord]:
    """An entity with many observations as several: the first makes it, the others add to it."""
    for first in range(0, max(len(one.observations), 1), _EACH):
        yield replace(one, observations=one.observations[first : first + _EACH])


def _gathered(chunks: Iterator[bytes]) -> bytes:
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > BYTES_MAX:
            raise Refusal("too_large", f"The file must have at most {BYTES_MAX} bytes.")
        held.append(chunk)
    return b"".join(held)


def _whole(kernel: Kernel, scope: Scope, key: OnceKey | None, data: bytes) -> OnceKey | None:
    """The key of the request, with what its body was."""
    if key is None:
        return None
    body = f"{key.body_mac}\0{hashlib.sha256(data).hexdigest()}"
    return replace(key, body_mac=kernel.keys.of(scope.space_id).mac("idempotency-body", body))


def _imported(change: Done) -> Imported:
    receipt = receipt_of(change)
    assert receipt is not None
    return _told(json.loads(change.ids["marks"]), receipt)


def _told(marks: Marks, receipt: Recorded) -> Imported:
    refused = tuple(Fault(Where(part, number), reason) for part, number, reason in marks["rows"])
    counts = {name: marks[name] for name in ("entities", "observations", "relations", "known")}
    return Imported(**counts, refused_count=marks["refused"], refused=refused, receipt=receipt)


def _leave_undone(tx: Tx, job: Job, part: import_store.Part) -> None:
    source_id = job.payload["source_id"]
    objects = {name: job.payload[name] for name in ("subscription_id", "person_id")}
    detail = {"change": "import", "state": "undone", **part.counts}
    record(tx, Receipt("graph.write", import_store.WORKER, "worker", source_id, objects, detail))


def _forgotten() -> NoReturn:
    raise Refusal("conflict", "What this Idempotency-Key stood for was just forgotten. Use a new key.")
