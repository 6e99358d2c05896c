"""Reading a customer's context: the last turns as a text for the prompt, the same bytes until the conversation ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tarimba.blocks.model import Section
from tarimba.blocks.service import section_detail, task_section
from tarimba.conversations import context_store as store
from tarimba.conversations import context_text, subject
from tarimba.conversations.neighbour import Asked, Level, Pin
from tarimba.conversations.subject import Subject
from tarimba.errors import not_found
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record, record_read
from tarimba.storage import Tx

SERVED: Final = frozenset({"agent_memory"})
"""What a context can include besides the turns."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a context is asked for. `known_etag` is that of the text which the caller has."""

    subject: Subject
    view: str = "chat"
    object_type: str | None = None
    include: frozenset[str] = frozenset()
    known_etag: str | None = None


@dataclass(frozen=True, slots=True)
class ContextRead:
    """The context; `text` is None when the caller has it already. `path` says where it came from."""

    text: str | None
    etag: str
    requested: Level
    effective: Level
    path: str
    receipt: Recorded


def read(kernel: Kernel, principal: Principal, question: Question) -> ContextRead:
    """The context of a customer; of an unknown one an empty one.

    Raises 403, 422, and 404 for something to include that is not served and for a subject token that is over.
    """
    allow(principal, "context")
    if not question.include <= SERVED:
        raise not_found("part of a context")
    asked = subject.settle(kernel, principal, question.subject)
    pin, is_new = _pinned(kernel, asked)
    pack = kernel.customers.pack(asked, pin)
    rendered = context_text.render(pack.turns, principal.language, kernel.tokenizer)
    section = task_section(
        kernel, principal, question.view, question.object_type, is_asked="agent_memory" in question.include
    )
    text = _joined(rendered.text, section, principal.language)
    etag = context_text.etag(text)
    same = question.known_etag == etag
    detail = {
        "etag": etag,
        "not_modified": same,
        "tokens": rendered.tokens,
        "turns": rendered.turns,
        "verification": pack.level,
        "view": kernel.keys.of(asked.space_id).commit(question.view),
        **subject.about(asked),
    }
    receipt = _leave(kernel, principal, asked, detail, section)
    path = "not_modified" if same else "t2" if is_new else "t0"
    return ContextRead(None if same else text, etag, asked.level, pack.level, path, receipt)


def prefetch(kernel: Kernel, principal: Principal, who: Subject) -> Recorded:
    """Takes note that a context will be read. There is nothing to warm: it is read when it is asked for."""
    asked = subject.settle(kernel, principal, who)
    return _leave(kernel, principal, asked, {"prefetch": True, **subject.about(asked)}, None)


def _pinned(kernel: Kernel, asked: Asked) -> tuple[Pin | None, bool]:
    """The pin of the conversation, and whether there was none before. Without a conversation nothing is pinned."""
    talk = asked.talk
    if talk is None:
        return None, True
    with kernel.database.read() as connection:
        found = store.pin_of(connection, asked.space_id, asked.source_id, talk)
        settings = space_settings.load(connection, asked.space_id)
    if found is not None:
        return found, False

    def pin(tx: Tx) -> Pin:
        # Another request of the same conversation may have been first.
        there = store.pin_of(tx.connection, tx.space_id, asked.source_id, talk)
        return there or store.set_pin(tx, asked.source_id, talk, settings.retention_days)

    return kernel.writer.commit(asked.space_id, pin), True


def _joined(text: str, section: Section | None, language: str) -> str:
    """The context, then the notes of the task behind a blank line."""
    if section is None or not section.block.text:
        return text
    return f"{text or context_text.empty_frame(language)}\n\n{section.block.text}"


def _leave(
    kernel: Kernel, principal: Principal, asked: Asked, detail: dict[str, Any], section: Section | None
) -> Recorded:
    """The receipt of the context; with it, in one commit, that of the notes at its end."""
    receipt = Receipt("context.read", principal.actor, principal.via, principal.source_id, detail=detail)
    if section is None:
        return record_read(kernel.writer, asked.space_id, receipt)
    key = kernel.keys.of(asked.space_id)
    notes = section_detail(key, section, not_modified=bool(detail["not_modified"])) | subject.about(asked)
    also = Receipt("context.task_section", principal.actor, principal.via, principal.source_id, detail=notes)

    def leave(tx: Tx) -> Recorded:
        record(tx, also)
        return record(tx, receipt)

    return kernel.writer.commit(asked.space_id, leave)
