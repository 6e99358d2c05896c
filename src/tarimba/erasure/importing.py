"""Importing an export document: row by row through every gate, shown only when all of it is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tarimba.clock import SECOND
from tarimba.erasure import store
from tarimba.erasure.document import Document
from tarimba.erasure.erasing import scrub, undo_import
from tarimba.erasure.model import Imported, Row
from tarimba.erasure.rows import Chain, Chains, read_note
from tarimba.errors import Refusal, invalid
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.identity.settings import SpaceSettings
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Draft, Note, Owner, Prepared
from tarimba.personal_data import service as personal_data
from tarimba.personal_data.model import Knowledge
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx

ROWS_AT_ONCE = 10
_LEASE = 600 * SECOND


@dataclass(slots=True)
class _Agent:
    """An agent whose notes are coming in, with the job that undoes them if the import ends here."""

    owner: Owner
    job_id: str
    active: int = 0


@dataclass(slots=True)
class _Accepted:
    """A row that passed, waiting for its transaction."""

    note: Note
    ready: Prepared
    chain: Chain
    agent: _Agent


@dataclass(slots=True)
class _Import:
    """One import while it runs."""

    kernel: Kernel
    principal: Principal
    settings: SpaceSettings
    into: str | None
    agents: dict[str, _Agent] = field(default_factory=dict)
    chains: Chains = field(default_factory=Chains)
    waiting: list[_Accepted] = field(default_factory=list)
    refused: list[Row] = field(default_factory=list)
    knew: set[Knowledge] = field(default_factory=set)
    versions: int = 0
    notes: int = 0

    @property
    def space_id(self) -> str:
        return self.principal.space_id

    def run(self, chunks: Iterator[bytes]) -> None:
        """Stores every row that passes, not yet visible."""
        for array, index, row in Document(chunks):
            try:
                accepted = self._read(array, row)
            except Refusal as refusal:
                self._refuse(array, index, refusal)
                continue
            if self.waiting and self.waiting[0].agent is not accepted.agent:
                self._store()
            self.waiting.append(accepted)
            if len(self.waiting) >= ROWS_AT_ONCE:
                self._store()
        self._store()

    def _refuse(self, array: str, index: int, refusal: Refusal) -> None:
        # Another state than the import needs, or a server that can't: nothing about this one row.
        if refusal.status in (401, 503) or refusal.code == "conflict":
            raise refusal
        kinds = tuple(refusal.extra.get("kinds", ()))
        self.refused.append(Row(array, index, refusal.code, refusal.detail, kinds))

    def _read(self, array: str, row: object) -> _Accepted:
        if array != "notes":
            raise Refusal("not_implemented", "Proposals can't be imported yet.")
        note = read_note(row, self.into)
        agent = self._agent(note.source_id)
        chain = self.chains.place(note)
        ready = notes.prepare(self.kernel, _draft(note), self.settings, self.space_id, note.origin)
        self.knew.add(ready.space)
        if self.kernel.detectors.flags(note.created_by):
            raise invalid("created_by", "does not have the form of an id")
        self._make_room(note, agent)
        return _Accepted(note, ready, chain, agent)

    def _make_room(self, note: Note, agent: _Agent) -> None:
        now = self.kernel.writer.now(self.space_id)
        if note.status != "active" or (note.valid_until is not None and note.valid_until <= now):
            return
        if agent.active >= self.settings.active_notes_max:
            raise Refusal("agent_memory_full", f"The agent may have {agent.active} active notes and no more.")
        agent.active += 1

    def _agent(self, source_id: str) -> _Agent:
        known = self.agents.get(source_id)
        if known is not None:
            return known
        owner = None
        if is_id(source_id):
            with self.kernel.database.read() as connection:
                owner = notes.owner(connection, self.space_id, source_id)
        if owner is None:
            raise invalid("source_id", "names no agent of this space")
        job_id = self.kernel.writer.commit(self.space_id, lambda tx: self._begin(tx, source_id))
        self.agents[source_id] = _Agent(owner, job_id)
        return self.agents[source_id]

    def _begin(self, tx: Tx, source_id: str) -> str:
        recheck(tx, self.principal)
        if store.has_chains(tx, source_id):
            raise Refusal(
                "conflict", "The agent has notes. Import into an agent without any, or erase them first."
            )
        return store.add_job(tx, store.IMPORT, {"source_id": source_id}, tx.now + _LEASE)

    def _store(self) -> None:
        if self.waiting:
            part, self.waiting = self.waiting, []
            self.kernel.writer.commit(self.space_id, lambda tx: self._store_part(tx, part))

    def _store_part(self, tx: Tx, part: list[_Accepted]) -> None:
        self._hold(tx, part[0].agent)
        if notes.known_ids(tx, [accepted.note.note_id for accepted in part]):
            raise Refusal("conflict", "A note of the document is in this space already.")
        hashes = {accepted.note.note_id: self._add(tx, accepted) for accepted in part}
        source_id = part[0].note.source_id
        self._record(tx, source_id, {"state": "part", "notes": hashes})

    def _hold(self, tx: Tx, agent: _Agent) -> None:
        recheck(tx, self.principal)
        if not store.hold_job(tx, agent.job_id, tx.now + _LEASE):
            raise Refusal("conflict", "The notes of the agent were erased while they were being imported.")

    def _add(self, tx: Tx, accepted: _Accepted) -> str:
        chain, ready, owner = accepted.chain, accepted.ready, accepted.agent.owner
        key = self.kernel.keys.of(self.space_id)
        evidence = notes.settle_evidence(tx, key, ready.draft.evidence, ready.flagged)
        note = replace(accepted.note, title=ready.draft.title, body=ready.draft.body, tags=ready.draft.tags)
        note = replace(note, evidence=evidence)
        pool = owner.pool(note.visibility)
        if chain.chain_id is None:
            chain.chain_id, chain.age = note.note_id, tx.next_ordinal()
            notes.add_chain(tx, note, chain.age, pool, store.IMPORTING[note.status])
            self.notes += 1
        else:
            notes.move_head(tx, chain.chain_id, note, pool)
            notes.set_status(tx, chain.chain_id, store.IMPORTING[note.status])
        salt = os.urandom(16).hex()
        bound = notes.content_hash(notes.note_json(note), salt)
        until = None if note.status == "active" else tx.next_seq
        notes.add_version(tx, note, ready, chain.chain_id, (salt, bound), (tx.next_seq, until))
        if note.status == "active":
            notes.index(tx, self.principal.space_no, ready.terms, (pool, chain.age, note.version))
        self.versions += 1
        return bound

    def show(self, tx: Tx) -> Recorded:
        """Makes everything visible at once. Raises 409 when the agents changed meanwhile."""
        recheck(tx, self.principal)
        now = space_settings.load(tx.connection, tx.space_id)
        notes.require_on(now.enabled)
        for source_id, agent in self.agents.items():
            self._hold(tx, agent)
            own = notes.active_count(tx.connection, tx.space_id, source_id, tx.now)
            if own and own + agent.active > now.active_notes_max:
                raise Refusal(
                    "conflict", "The agent has written notes meanwhile: there is no room for the document."
                )
            store.show_imported(tx, source_id, tx.next_seq)
            store.end_job(tx, agent.job_id)
        if not all(personal_data.is_same(tx, knew) for knew in self.knew):
            # What was checked before the space knew more is looked at again, now that it can be found.
            notes.order_rescan(tx)
        tx.changed()
        detail = {
            "state": "complete",
            "versions": self.versions,
            "notes": self.notes,
            "refused": len(self.refused),
        }
        return self._record(tx, next(iter(self.agents)) if len(self.agents) == 1 else None, detail)

    def _record(self, tx: Tx, source_id: str | None, detail: dict[str, object]) -> Recorded:
        by = self.principal
        objects = {"source_id": source_id} if source_id else {}
        return record(tx, Receipt("import", by.actor, by.via, source_id, objects, detail))

    def undo(self) -> None:
        """Takes out again what was stored."""
        for source_id, agent in self.agents.items():
            job_id = undo_import(self.kernel, self.space_id, source_id, agent.job_id)
            scrub(self.kernel, self.space_id, source_id, job_id)


def import_notes(
    kernel: Kernel, principal: Principal, chunks: Iterator[bytes], *, into: str | None = None
) -> Imported:
    """Takes an export document into agents that have no notes; ids are kept and ages follow the document.

    `into` names the agent when the document is that of another one. Rows that break a rule are refused one by
    one and named in the answer; everything else is all or nothing. Raises 400, 403, 409, 413 and 422.
    """
    allow(principal, "import")
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
    notes.require_on(settings.enabled)
    running = _Import(kernel, principal, settings, into)
    try:
        running.run(chunks)
        receipt = kernel.writer.commit(principal.space_id, running.show)
    except BaseException:
        running.undo()
        raise
    return Imported(running.versions, running.notes, receipt, tuple(running.refused))


def _draft(note: Note) -> Draft:
    return Draft(
        kind=note.kind,
        title=note.title,
        body=note.body,
        tags=note.tags,
        visibility=note.visibility,
        evidence=note.evidence,
        valid_until=note.valid_until,
    )
