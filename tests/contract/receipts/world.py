"""A small space with its log: notes, block reads and acts, written the way the server writes them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import delete, insert, select, update

from tarimba.blocks.rules import RENDERER, render_line
from tarimba.identity.model import Principal
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.notes.model import Note
from tarimba.notes.rules import content_hash
from tarimba.notes.wire import note_json
from tarimba.receipts.canonical import canonical
from tarimba.receipts.merkle import Frontier, leaf_hash
from tarimba.receipts.model import Actor, Receipt, Recorded
from tarimba.receipts.pending import PendingRead
from tarimba.receipts.seal import seal
from tarimba.receipts.service import record
from tarimba.storage import Entry, Tx
from tarimba.storage.tables import agent, note_chain, note_version, receipt_bundle, space, space_head, vendor

PERSON = Actor("person", "0190aaaa-0000-7000-8000-000000000001")


@dataclass(frozen=True, slots=True)
class World:
    kernel: Kernel
    space_id: str
    source_id: str

    @property
    def auditor(self) -> Principal:
        return Principal(
            kind="person",
            space_id=self.space_id,
            space_no=1,
            id=PERSON.id,
            via="http",
            language="en",
            environment="test",
            generation=0,
            key_id="0123456789abcdef",
            roles=frozenset({"auditor"}),
        )

    @property
    def size(self) -> int:
        with self.kernel.database.read() as connection:
            return int(connection.scalar(select(space_head.c.size)) or 0)

    def receipt(self, action: str, **detail: Any) -> Receipt:
        return Receipt(action, PERSON, "http", objects={"source_id": self.source_id}, detail=detail)

    def act(self, *receipts: Receipt) -> list[Recorded]:
        """Acts that share one transaction, so their receipts share one stored row."""
        return self.kernel.writer.commit(self.space_id, lambda tx: [record(tx, item) for item in receipts])

    def read_block(self, notes: Sequence[str], *, conversation: str | None = None) -> Recorded:
        """A read of the block, whose stored receipt leaves the note ids out."""
        etag = f"am-{hashlib.sha256(json.dumps(notes).encode()).hexdigest()[:32]}"
        about = (
            {"conversation": self.kernel.keys.of(self.space_id).commit(conversation)} if conversation else {}
        )
        detail = {
            **about,
            "etag": etag,
            "left_out": 0,
            "max_tokens": 300,
            "not_modified": False,
            "view": None,
        }
        actor = Actor("agent", self.source_id, "fedcba9876543210")
        document = Receipt("block.read", actor, "http", agent=self.source_id, detail=detail).as_json(
            new_id(), self.space_id, "2026-11-30T12:00:00.000000Z"
        )
        whole = {**document, "detail": {**detail, "notes": list(notes)}}
        entry = Entry(document["id"], leaf_hash(canonical(whole)), canonical(document))
        pending = PendingRead(self.space_id, entry, notes=(etag, json.dumps(list(notes))))
        self.kernel.writer.submit(pending)
        assert pending.wait(30)
        assert isinstance(pending.outcome, Recorded), pending.outcome
        return pending.outcome

    def write_note(self, title: str, *, supersedes: Note | None = None) -> tuple[Note, Recorded]:
        """A new note, or a new version of one."""
        note = Note(
            note_id=new_id(),
            source_id=self.source_id,
            kind="pitfall",
            title=title,
            body="Post the credit first.\nThen close the order — “açaí”.",
            tags=("order", "post_credit"),
            visibility="source",
            evidence=None,
            origin="agent",
            version=supersedes.version + 1 if supersedes else 1,
            supersedes_note_id=supersedes.note_id if supersedes else None,
            status="active",
            valid_until=None,
            created_at=1_790_000_000_123_456,
            created_by=self.source_id,
        )
        return note, self.kernel.writer.commit(self.space_id, lambda tx: self._store(tx, note))

    def _store(self, tx: Tx, note: Note) -> Recorded:
        chain_id = new_id()
        chain = {"chain_id": chain_id, "age": tx.next_ordinal(), "pool": 2, "status": "active"}
        head = {"head_note_id": note.note_id, "head_version": note.version}
        tx.write(insert(note_chain).values(space_id=tx.space_id, source_id=note.source_id, **chain, **head))
        digest = content_hash(note_json(note), "5a17")
        shown = {name: getattr(note, name) for name in ("note_id", "version", "kind", "title", "body")}
        about = {name: getattr(note, name) for name in ("supersedes_note_id", "visibility", "origin")}
        made = {"created_at": note.created_at, "created_by": note.created_by, "seq_from": tx.next_seq}
        bound = {"salt": "5a17", "content_hash": digest, "tags": json.dumps(note.tags)}
        line = render_line(note.kind, note.title, note.body)
        derived = {"line": line, "line_tokens": 9, "renderer": RENDERER, "tokenizer": "none", "terms": b""}
        values = {**shown, **about, **made, **bound, **derived, "words": "1", "detectors": "1"}
        tx.write(insert(note_version).values(space_id=tx.space_id, chain_id=chain_id, **values))
        action = "note.edit" if note.supersedes_note_id else "note.create"
        plain = self.receipt(action, content_hash=digest)
        return record(tx, replace(plain, objects={**plain.objects, "note_id": note.note_id}))

    def erase(self) -> None:
        """Erases the agent's notes as an erasure does: the rows go, the receipts stay."""

        def work(tx: Tx) -> None:
            tx.write(delete(note_version))
            tx.write(delete(note_chain))
            record(tx, self.receipt("erase.requested"))

        self.kernel.writer.commit(self.space_id, work)

    def tamper(self, *statements: Any) -> None:
        """What somebody with access to the database does behind the server's back."""
        with self.kernel.database.write() as connection:
            for statement in statements:
                connection.execute(statement)

    def bundle(self, first_seq: int) -> dict[str, Any]:
        with self.kernel.database.read() as connection:
            row = connection.execute(
                select(receipt_bundle).where(receipt_bundle.c.first_seq == first_seq)
            ).one()
        return {**row._mapping, "hashes": bytes(row.hashes), "entries": bytes(row.entries)}

    def head(self) -> dict[str, Any]:
        with self.kernel.database.read() as connection:
            return dict(connection.execute(select(space_head)).one()._mapping)

    def leaves(self) -> list[bytes]:
        with self.kernel.database.read() as connection:
            rows = connection.scalars(select(receipt_bundle.c.hashes).order_by(receipt_bundle.c.first_seq))
            joined = b"".join(bytes(row) for row in rows)
        return [joined[at : at + 32] for at in range(0, len(joined), 32)]


def bundle_change(first_seq: int, **values: Any) -> Any:
    return update(receipt_bundle).where(receipt_bundle.c.first_seq == first_seq).values(**values)


def make_world(kernel: Kernel) -> World:
    """A space with one vendor and one agent, whose log has one receipt."""
    space_id, source_id, vendor_id = new_id(), new_id(), new_id()
    named = {"slug": "sample", "name": "Sample"}
    born = {"language": "en", "environment": "test", "created_at": 1}
    wrapped = kernel.keys.mint(space_id)
    empty = Frontier.empty()
    first_seal = seal(kernel.keys.of(space_id), 0, empty.root())
    with kernel.database.write() as connection:
        connection.execute(
            insert(space).values(space_id=space_id, space_no=1, hmac_key=wrapped, **named, **born)
        )
        connection.execute(
            insert(space_head).values(space_id=space_id, frontier=empty.to_bytes(), seal=first_seal)
        )

    def work(tx: Tx) -> None:
        placed = {"space_id": space_id, "vendor_id": vendor_id, "created_at": tx.now, **named}
        tx.write(insert(vendor).values(**placed, pool=1, ordinal=1))
        tx.write(insert(agent).values(**placed, source_id=source_id, harness="none", pool=2, ordinal=2))
        record(tx, Receipt("agent.change", PERSON, "cli", agent=source_id))

    kernel.writer.commit(space_id, work)
    return World(kernel, space_id, source_id)
