"""What of a document has passed and waits for its transaction, and the agents that it goes to."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from tarimba.erasure import store
from tarimba.erasure.rows import Chain
from tarimba.jobs.model import Job
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Note, Owner, Prepared
from tarimba.proposals import service as proposals
from tarimba.proposals.model import Proposal
from tarimba.storage import Tx


@dataclass(slots=True)
class Receiver:
    """An agent whose notes are coming in, with the job that undoes them if the import ends here."""

    owner: Owner
    job: Job
    active: int = 0


@dataclass(frozen=True, slots=True)
class ArrivingNote:
    """A note that passed."""

    note: Note
    ready: Prepared
    chain: Chain
    receiver: Receiver

    def add(self, tx: Tx, kernel: Kernel, space_no: int) -> str:
        """Stores it, not yet visible. Returns what binds its text."""
        chain, ready, owner = self.chain, self.ready, self.receiver.owner
        evidence = notes.settle_evidence(tx, kernel.keys.of(tx.space_id), ready.draft.evidence, ready.flagged)
        note = replace(self.note, title=ready.draft.title, body=ready.draft.body, tags=ready.draft.tags)
        note = replace(note, evidence=evidence)
        pool = owner.pool(note.visibility)
        if chain.chain_id is None:
            chain.chain_id, chain.age = note.note_id, tx.next_ordinal()
            notes.add_chain(tx, note, chain.age, pool, store.IMPORTING[note.status])
        else:
            notes.move_head(tx, chain.chain_id, note, pool)
            notes.set_status(tx, chain.chain_id, store.IMPORTING[note.status])
        salt = os.urandom(16).hex()
        bound = notes.content_hash(notes.note_json(note), salt)
        until = None if note.status == "active" else tx.next_seq
        notes.add_version(tx, note, ready, chain.chain_id, (salt, bound), (tx.next_seq, until))
        if note.status == "active":
            notes.index(tx, space_no, ready.terms, (pool, chain.age, note.version))
        return bound


@dataclass(frozen=True, slots=True)
class ArrivingProposal:
    """A proposal that passed. `ready` is None for one without text; `flagged` names ids that are personal data."""

    proposal: Proposal
    ready: Prepared | None
    flagged: frozenset[str]
    receiver: Receiver

    def add(self, tx: Tx, kernel: Kernel) -> None:
        """Stores it, not yet visible."""
        key = kernel.keys.of(tx.space_id)
        evidence = notes.settle_evidence(tx, key, self.proposal.evidence, self.flagged)
        one = replace(self.proposal, evidence=evidence)
        if self.ready is not None:
            draft = self.ready.draft
            text = replace(one.text, title=draft.title, body=draft.body, tags=draft.tags)
            one = replace(one, text=text, detectors=self.ready.detectors)
        elif one.status == "rejected":
            one = replace(one, scrubbed_at=tx.now)
        proposals.take_in(tx, one)


Arriving = ArrivingNote | ArrivingProposal
