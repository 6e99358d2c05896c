"""What every change of a note stands on: who writes for which agent, the commit, the receipt, the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from tarimba.errors import Refusal, not_found
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.service import recheck
from tarimba.identity.settings import SpaceSettings
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.notes import caps, rules, store
from tarimba.notes.model import Note, Origin, Owner, Prepared, Stored, Written
from tarimba.notes.versions import Author
from tarimba.proposals import service as proposals
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, once
from tarimba.vault import SpaceKey
from tarimba.webhooks.service import announce


@dataclass(frozen=True, slots=True)
class Desk:
    """What a write stands on: who writes, for which agent, under which settings, with the space's key."""

    principal: Principal
    owner: Owner
    settings: SpaceSettings
    key: SpaceKey

    @property
    def is_agent(self) -> bool:
        return self.principal.kind == "agent"

    @property
    def origin(self) -> Origin:
        """What a person or the company's own key has written is theirs from then on."""
        return "agent" if self.is_agent else "human"

    @property
    def author(self) -> Author:
        return Author(self.principal.space_no, self.principal.id, self.origin)

    def take_write(self, tx: Tx) -> None:
        """Counts a write if it is an agent's. Raises 429 when the agent has used up what it may."""
        if self.is_agent:
            caps.take_write(tx, self.owner.source_id, self.settings)

    def require_room(self, tx: Tx) -> None:
        """Raises 409 `agent_memory_full`."""
        caps.require_room(tx, self.owner.source_id, self.settings)


def take_seat(kernel: Kernel, principal: Principal, source_id: str) -> Desk:
    """The desk for a new note of an agent. Raises 409 `agent_memory_off`, and 404 when there is no such agent."""
    owner = None
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
        if is_id(source_id):
            owner = store.owner(connection, principal.space_id, source_id)
    rules.require_on(settings.enabled)
    if owner is None:
        raise not_found("agent")
    return Desk(principal, owner, settings, kernel.keys.of(principal.space_id))


def approach(
    kernel: Kernel, principal: Principal, note_id: str, *, also_off: bool = False
) -> tuple[Desk, Stored]:
    """The desk for a note that the caller reads. Raises 409 `agent_memory_off` and 404."""
    found = None
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
        if is_id(note_id):
            found = store.version(connection, principal.space_id, note_id)
    if not also_off:
        rules.require_on(settings.enabled)
    if found is None or not rules.may_read(readable_pools(principal), found):
        raise not_found("note")
    return Desk(principal, found.owner, settings, kernel.keys.of(principal.space_id)), found


def require_own(desk: Desk) -> None:
    """Raises 403 `not_owner` for a note that the agent may only read."""
    if desk.is_agent and desk.owner.source_id != desk.principal.source_id:
        raise Refusal("not_owner", "The note belongs to another agent: you may read it, not change it.")


def again(tx: Tx, desk: Desk, note_id: str) -> Stored:
    """The version under the lock. Raises 404 when it was erased or closed since."""
    found = store.version(tx.connection, tx.space_id, note_id)
    if found is None or not rules.may_read(readable_pools(desk.principal), found):
        raise not_found("note")
    return found


def readable_pools(principal: Principal) -> frozenset[int] | None:
    """The pools that the caller reads; None for the whole space."""
    return frozenset(principal.pools) if principal.kind == "agent" else None


def answer(kernel: Kernel, space_id: str, done: Done, ready: Prepared | None = None) -> Written:
    """The answer of a write from what is stored, the first time and for every repetition. Raises 404."""
    note_id, proposal_id = done.ids.get("note_id"), done.ids.get("proposal_id")
    note = None
    with kernel.database.read() as connection:
        if note_id is not None:
            note = shown(connection, space_id, note_id)
        if proposal_id is not None and proposals.find(connection, space_id, proposal_id) is None:
            raise not_found("proposal")
    warnings = rules.cautions(ready.draft) if ready else ()
    return Written(note, receipt_of(done), done.status, warnings, proposal_id)


def shown(connection: Connection, space_id: str, note_id: str) -> Note:
    """A version that somebody wrote or decided. Raises 404 when it was erased since."""
    found = store.version(connection, space_id, note_id)
    if found is None or not rules.may_read(None, found):
        raise not_found("note")
    return found.note


def receipt_of(done: Done) -> Recorded:
    """The receipt that a write left, the first time and for every repetition."""
    assert done.seq is not None
    return Recorded(done.ids["receipt_id"], done.seq, done.ids["leaf"])


def finished(status: int, receipt: Recorded, **ids: str) -> Done:
    """What a write leaves for its answer and for repetitions of it."""
    return Done(status, {**ids, "receipt_id": receipt.id, "leaf": receipt.leaf}, receipt.seq)


def _settings_now(tx: Tx, desk: Desk) -> SpaceSettings:
    """The settings in force under the lock: read again only when something of the space has changed."""
    if tx.generation == desk.principal.generation:
        return desk.settings
    return space_settings.load(tx.connection, tx.space_id)


def commit(
    kernel: Kernel,
    desk: Desk,
    once_key: OnceKey | None,
    work: Callable[[Tx, Desk], Done],
    *,
    also_off: bool = False,
) -> Done:
    """Runs `work` under the lock, once for each key, with the settings in force then.

    Raises 401 when the caller may not act any more, and 409 `agent_memory_off` unless `also_off`.
    """

    def run(tx: Tx) -> Done:
        recheck(tx, desk.principal)
        now = replace(desk, settings=_settings_now(tx, desk))
        if not also_off:
            rules.require_on(now.settings.enabled)
        return once(tx, once_key, lambda: work(tx, now))

    return kernel.writer.commit(desk.principal.space_id, run)


def tell(tx: Tx, event: str, chain_id: str, note: Note, status: str = "active") -> None:
    """Announces what happened to a note: ids and codes. `status` is the note's from now on."""
    data: dict[str, str | int | None] = {
        "note_id": note.note_id,
        "source_id": note.source_id,
        "kind": note.kind,
        "origin": note.origin,
        "version": note.version,
        "status": status,
    }
    announce(tx, f"agent_note.{event}", chain_id, data)


def leave_receipt(
    tx: Tx, desk: Desk, action: str, note: Note, bound: str, detail: Mapping[str, object]
) -> Recorded:
    """The receipt of an act on one version; `bound` is its content hash."""
    receipt = Receipt(
        action=action,
        actor=desk.principal.actor,
        via=desk.principal.via,
        agent=note.source_id,
        objects={"note_id": note.note_id, "source_id": note.source_id},
        detail={"content_hash": bound, "version": note.version, "visibility": note.visibility, **detail},
    )
    return record(tx, receipt)
