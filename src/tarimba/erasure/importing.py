"""Importing an export document: row by row through every gate, shown only when all of it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, NoReturn

from tarimba.distill import service as distill
from tarimba.erasure import store
from tarimba.erasure.arriving import Arriving, ArrivingNote, ArrivingProposal, Receiver
from tarimba.erasure.document import Digested, Document
from tarimba.erasure.erasing import IMPORT, undo
from tarimba.erasure.model import Imported, Row
from tarimba.erasure.proposal_rows import is_wordless, read_proposal
from tarimba.erasure.rows import Chains, read_note
from tarimba.errors import Refusal, invalid
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.identity.settings import SpaceSettings
from tarimba.ids import is_id
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Draft, Note, Prepared
from tarimba.personal_data import service as personal_data
from tarimba.personal_data.model import Knowledge
from tarimba.proposals import service as proposals
from tarimba.proposals.model import REASON_MAX, Proposal
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, is_known, once

ROWS_AT_ONCE: Final = 10
# Rows that are named; more of them are only counted, so that the answer has an end.
NAMED_MAX: Final = 1000


@dataclass(slots=True)
class _Import:
    """One import while it runs."""

    kernel: Kernel
    principal: Principal
    settings: SpaceSettings
    into: str | None
    leases: jobs.Leases
    receivers: dict[str, Receiver] = field(default_factory=dict)
    chains: Chains = field(default_factory=Chains)
    proposal_ids: set[str] = field(default_factory=set)
    drafts: list[str] = field(default_factory=list)
    waiting: list[Arriving] = field(default_factory=list)
    refused: list[Row] = field(default_factory=list)
    refused_count: int = 0
    knew: set[Knowledge] = field(default_factory=set)
    versions: int = 0
    notes: int = 0
    proposals: int = 0

    @property
    def space_id(self) -> str:
        return self.principal.space_id

    def run(self, chunks: Iterator[bytes]) -> None:
        """Stores every row that passes, not yet visible."""
        for array, index, row in Document(chunks):
            try:
                arriving = self._note(row) if array == "notes" else self._proposal(row)
            except Refusal as refusal:
                self._refuse(array, index, refusal)
                continue
            if self.waiting and self.waiting[0].receiver is not arriving.receiver:
                self._store()
            self.waiting.append(arriving)
            if len(self.waiting) >= ROWS_AT_ONCE:
                self._store()
        self._store()

    def _refuse(self, array: str, index: int, refusal: Refusal) -> None:
        # Another state than the import needs, or a server that can't: nothing about this one row.
        if refusal.status in (401, 503) or refusal.code == "conflict":
            raise refusal
        self.refused_count += 1
        if len(self.refused) < NAMED_MAX:
            kinds = tuple(refusal.extra.get("kinds", ()))
            self.refused.append(Row(array, index, refusal.code, refusal.detail, kinds))

    def _note(self, row: object) -> ArrivingNote:
        note = read_note(row, self.into)
        receiver = self._receiver(note.source_id)
        chain = self.chains.place(note)
        ready = self._prepared(_draft(note), note.origin)
        self._require_ids("created_by", note.created_by)
        self._make_room(note, receiver)
        return ArrivingNote(note, ready, chain, receiver)

    def _proposal(self, row: object) -> ArrivingProposal:
        one = read_proposal(row, self.into)
        receiver = self._receiver(one.source_id)
        if one.proposal_id in self.proposal_ids:
            raise invalid("proposal_id", "stands in the document before")
        ready = None if is_wordless(one) else self._prepared(_draft(one), one.origin)
        self._require_ids("created_by", one.created_by)
        self._require_ids("decided_by", one.decided_by)
        one = replace(one, reason=None if one.reason is None else self._reason(one.reason))
        flagged = notes.flagged(self.kernel, personal_data.known_by(self.kernel, self.space_id), one.evidence)
        self.proposal_ids.add(one.proposal_id)
        return ArrivingProposal(one, ready, flagged, receiver)

    def _prepared(self, draft: Draft, origin: str) -> Prepared:
        ready = notes.prepare(self.kernel, draft, self.settings, self.space_id, origin)
        self.knew.add(ready.space)
        return ready

    def _reason(self, written: str) -> str:
        clean, space = notes.prepare_line(self.kernel, self.space_id, "reason", written, REASON_MAX)
        self.knew.add(space)
        return clean

    def _require_ids(self, name: str, value: str | None) -> None:
        if value is not None and self.kernel.detectors.flags(value):
            raise invalid(name, "does not have the form of an id")

    def _make_room(self, note: Note, receiver: Receiver) -> None:
        now = self.kernel.writer.now(self.space_id)
        if note.status != "active" or (note.valid_until is not None and note.valid_until <= now):
            return
        if receiver.active >= self.settings.active_notes_max:
            raise Refusal(
                "agent_memory_full", f"The agent may have {receiver.active} active notes and no more."
            )
        receiver.active += 1

    def _receiver(self, source_id: str) -> Receiver:
        known = self.receivers.get(source_id)
        if known is not None:
            return known
        owner = None
        if is_id(source_id):
            with self.kernel.database.read() as connection:
                owner = notes.owner(connection, self.space_id, source_id)
        if owner is None:
            raise invalid("source_id", "names no agent of this space")
        job = self.kernel.writer.commit(self.space_id, lambda tx: self._begin(tx, source_id))
        self.leases.add(job)
        self.receivers[source_id] = Receiver(owner, job)
        return self.receivers[source_id]

    def _begin(self, tx: Tx, source_id: str) -> Job:
        recheck(tx, self.principal)
        if store.has_chains(tx, source_id) or proposals.has_any(tx, source_id):
            raise Refusal(
                "conflict",
                "The agent has notes or proposals. Import into an agent without any, or erase them first.",
            )
        return jobs.enqueue_held(tx, IMPORT, {"source_id": source_id})

    def _store(self) -> None:
        if self.waiting:
            part, self.waiting = self.waiting, []
            self.kernel.writer.commit(self.space_id, lambda tx: self._store_part(tx, part))
            self._count(part)

    def _store_part(self, tx: Tx, part: list[Arriving]) -> None:
        self._hold(tx, part[0].receiver)
        arriving = [one for one in part if isinstance(one, ArrivingNote)]
        proposed = [one for one in part if isinstance(one, ArrivingProposal)]
        if notes.known_ids(tx, [one.note.note_id for one in arriving]) or proposals.known_ids(
            tx, [one.proposal.proposal_id for one in proposed]
        ):
            raise Refusal("conflict", "A note or proposal of the document is in this space already.")
        hashes = {one.note.note_id: one.add(tx, self.kernel, self.principal.space_no) for one in arriving}
        for one in proposed:
            one.add(tx, self.kernel)
        detail = {"state": "part", "notes": hashes, "proposals": len(proposed)}
        self._record(tx, part[0].receiver.owner.source_id, detail)

    def _count(self, part: list[Arriving]) -> None:
        for one in part:
            if isinstance(one, ArrivingNote):
                self.versions += 1
                self.notes += one.note.note_id == one.chain.chain_id
            else:
                self.proposals += 1
                self.drafts += [one.proposal.proposal_id] if one.proposal.status == "drafting" else []

    def _hold(self, tx: Tx, receiver: Receiver) -> None:
        recheck(tx, self.principal)
        if not jobs.hold(tx, receiver.job):
            raise Refusal("conflict", "The notes of the agent were erased while they were being imported.")

    def show(self, tx: Tx) -> Done:
        """Makes everything visible at once. Raises 409 when the agents changed meanwhile."""
        recheck(tx, self.principal)
        now = space_settings.load(tx.connection, tx.space_id)
        notes.require_on(now.enabled)
        for source_id, receiver in self.receivers.items():
            self._hold(tx, receiver)
            own = notes.active_count(tx.connection, tx.space_id, source_id, tx.now)
            if own and own + receiver.active > now.active_notes_max:
                raise Refusal(
                    "conflict", "The agent has written notes meanwhile: there is no room for the document."
                )
            store.show_imported(tx, source_id, tx.next_seq)
            proposals.show_taken_in(tx, source_id)
            jobs.finish(tx, receiver.job)
        # What was being written when it was exported is written here, from what this space knows of it.
        for proposal_id in self.drafts:
            jobs.enqueue(tx, distill.JOB, {"proposal_id": proposal_id})
        if not all(personal_data.is_same(tx, knew) for knew in self.knew):
            # What was checked before the space knew more is looked at again, now that it can be found.
            notes.order_rescan(tx)
        tx.changed()
        only = next(iter(self.receivers)) if len(self.receivers) == 1 else None
        return self._done(self._record(tx, only, {"state": "complete", **self._counts()}))

    def _counts(self) -> dict[str, int]:
        counts = {"versions": self.versions, "notes": self.notes, "proposals": self.proposals}
        return counts | {"refused": self.refused_count}

    def _done(self, receipt: Recorded) -> Done:
        ids = {name: str(count) for name, count in self._counts().items()}
        rows = json.dumps([asdict(row) for row in self.refused])
        return Done(200, ids | {"rows": rows, "receipt_id": receipt.id, "leaf": receipt.leaf}, receipt.seq)

    def _record(self, tx: Tx, source_id: str | None, detail: dict[str, Any]) -> Recorded:
        by = self.principal
        objects = {"source_id": source_id} if source_id else {}
        return record(tx, Receipt("import", by.actor, by.via, source_id, objects, detail))

    def undo(self) -> None:
        """Takes out again what was stored; what is in the way of that is the job's."""
        for receiver in self.receivers.values():
            jobs.run(self.kernel, receiver.job, undo)


def import_notes(
    kernel: Kernel,
    principal: Principal,
    chunks: Iterator[bytes],
    *,
    into: str | None = None,
    once_key: OnceKey | None = None,
) -> Imported:
    """Takes an export document into agents that have nothing; ids are kept and ages follow the document.

    `into` names the agent when the document is that of another one. Rows that break a rule are refused one by
    one and named in the answer; everything else is all or nothing. Raises 400, 403, 409, 413 and 422.
    """
    allow(principal, "import")
    space_id, read = principal.space_id, Digested(chunks)
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, space_id)
        is_again = once_key is not None and is_known(connection, space_id, once_key)
    if is_again:
        for _ in read:
            continue
        whole = _whole(kernel, space_id, once_key, read)
        return _imported(kernel.writer.commit(space_id, lambda tx: once(tx, whole, _forgotten)))
    notes.require_on(settings.enabled)
    with jobs.Leases(kernel) as leases:
        running = _Import(kernel, principal, settings, into, leases)
        try:
            running.run(read)
            whole = _whole(kernel, space_id, once_key, read)
            done = kernel.writer.commit(space_id, lambda tx: once(tx, whole, lambda: running.show(tx)))
        except BaseException:
            running.undo()
            raise
        if done.replayed:
            running.undo()
    return _imported(done)


def _whole(kernel: Kernel, space_id: str, key: OnceKey | None, read: Digested) -> OnceKey | None:
    """The key of the request, with what its body was: it is known only when all of it was read."""
    if key is None:
        return None
    body = f"{key.body_mac}\0{read.digest}"
    return replace(key, body_mac=kernel.keys.of(space_id).mac("idempotency-body", body))


def _imported(done: Done) -> Imported:
    assert done.seq is not None
    rows = [Row(**{**row, "kinds": tuple(row["kinds"])}) for row in json.loads(done.ids["rows"])]
    receipt = Recorded(done.ids["receipt_id"], done.seq, done.ids["leaf"])
    counts = {name: int(done.ids[name]) for name in ("versions", "notes", "proposals")}
    return Imported(**counts, refused_count=int(done.ids["refused"]), refused=tuple(rows), receipt=receipt)


def _forgotten() -> NoReturn:
    raise Refusal("conflict", "What this Idempotency-Key stood for was just forgotten. Use a new key.")


def _draft(one: Note | Proposal) -> Draft:
    said = one.text if isinstance(one, Proposal) else one
    return Draft(
        kind=said.kind,
        title=said.title,
        body=said.body,
        tags=said.tags,
        visibility=said.visibility,
        evidence=one.evidence,
        valid_until=said.valid_until,
    )
