"""Who an agent is: two documents of administrators', the same for every member, read-only in each workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.changes import commit_change, done, leave
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import agent_named
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey
from tarimba.workspaces import persona_store as store
from tarimba.workspaces.documents import PERSONA
from tarimba.workspaces.model import PersonaDocument
from tarimba.workspaces.rules import require_match

TEXT_MAX: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Persona:
    """The documents of an agent that are not empty. `etag` differs as soon as one of them does."""

    source_id: str
    documents: tuple[PersonaDocument, ...]
    receipt: Recorded | None = None

    @property
    def etag(self) -> str:
        return etag_of(self.documents)


def read_persona(kernel: Kernel, principal: Principal, source_id: str) -> Persona:
    """Raises 403 and 404."""
    allow(principal, "read_workspaces")
    found = persona_of(kernel, principal, source_id)
    marks = {one.name: one.hash for one in found.documents}
    detail = {"read": "persona", "documents": marks}
    receipt = Receipt(
        "workspace.read", principal.actor, principal.via, source_id, {"source_id": source_id}, detail
    )
    return Persona(source_id, found.documents, record_read(kernel.writer, principal.space_id, receipt))


def persona_of(kernel: Kernel, principal: Principal, source_id: str) -> Persona:
    """As `read_persona`, for who may already: without a receipt. Raises 404."""
    with kernel.database.read() as connection:
        _require_agent(connection, principal.space_id, source_id)
        return Persona(source_id, store.documents(connection, principal.space_id, source_id))


def write_persona(
    kernel: Kernel,
    principal: Principal,
    source_id: str,
    texts: Mapping[str, str],
    *,
    seen: str | None = None,
    once_key: OnceKey | None = None,
) -> Done:
    """Exchanges the documents that are named; an empty text takes one away. `seen` is the caller's If-Match.

    Ids: `source_id`. Raises 403, 404, 412, 413 and 422.
    """
    checked = checked_persona(texts)

    def work(tx: Tx) -> Done:
        _require_agent(tx.connection, tx.space_id, source_id)
        before = store.documents(tx.connection, tx.space_id, source_id)
        require_match(seen, etag_of(before))
        return done(200, settle(tx, principal, source_id, checked), source_id=source_id)

    return commit_change(kernel, principal, "workspaces", once_key, work)


def settle(tx: Tx, by: Principal, source_id: str, texts: Mapping[str, str]) -> Recorded | None:
    """Exchanges what differs, under the lock of the space. None when nothing does."""
    before = {one.name: one.text for one in store.documents(tx.connection, tx.space_id, source_id)}
    differing = {name: text for name, text in texts.items() if text != before.get(name, "")}
    if not differing:
        return None
    marks = {}
    for name, text in sorted(differing.items()):
        marks[name] = hashlib.sha256(text.encode()).hexdigest() if text else None
        if text:
            store.put(tx, source_id, PersonaDocument(name, text, str(marks[name]), tx.now))
        else:
            store.drop(tx, source_id, name)
    detail = {"change": "persona", "documents": marks}
    return leave(tx, by, "workspace.change", {"source_id": source_id}, detail, agent=source_id)


def checked_persona(texts: Mapping[str, str], where: str = "") -> Mapping[str, str]:
    """Raises 422 for another document than those that there are or for what is no text, and 413."""
    for name, text in texts.items():
        if name not in PERSONA:
            raise invalid(f"{where}persona", f"must hold texts of {' and '.join(PERSONA)}")
        if "\0" in text:
            raise invalid(f"{where}persona", "must hold texts without NUL")
        if len(text.encode()) > TEXT_MAX:
            raise Refusal("too_large", f"{where}persona: each text must have at most {TEXT_MAX} bytes.")
    return texts


def etag_of(documents: tuple[PersonaDocument, ...]) -> str:
    whole = "\0".join(f"{one.name}\0{one.hash}" for one in documents)
    return hashlib.sha256(whole.encode()).hexdigest()


def _require_agent(connection: Connection, space_id: str, source_id: str) -> None:
    found = agent_named(connection, space_id, source_id)
    if found is None or found.id != source_id:
        raise not_found("agent")
