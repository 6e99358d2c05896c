"""What calls return. A representation never shows a note's text, so that a log that prints one does not."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """A frozen value read from JSON; fields of a newer server are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Evidence(Shape):
    """Where a note came from: ids of 1 to 512 characters, never text."""

    conversation_id: str | None = None
    task_id: str | None = None


class Note(Shape):
    """One version of a note. `kind` is procedure, tool_note, process_note or pitfall; others may follow."""

    note_id: str
    source_id: str
    kind: str
    title: str = Field(repr=False)
    body: str = Field(repr=False)
    tags: tuple[str, ...] = ()
    visibility: str
    evidence: Evidence | None = None
    origin: str
    version: int
    supersedes_note_id: str | None = None
    status: str
    valid_until: datetime | None = None
    created_at: datetime
    created_by: str


class Block(Shape):
    """The block as the server sends it. `notes` are ids; `tokens` counts `text` in o200k_base."""

    text: str = Field(default="", repr=False)
    notes: tuple[str, ...] = ()
    etag: str = ""
    tokens: int = 0
    enabled: bool = True
    left_out: int = 0
    receipt_id: str | None = None


class AgentMemory(Block):
    """The notes for the prompt: put `text` after your instructions and before the customer's context.

    `source` is `network`, `cache` (revalidated, or not older than the time to live, or the last good one
    when `error` is set) or `empty`. `error` is a code or None. True when there is text.
    """

    source: Literal["network", "cache", "empty"] = "empty"
    error: str | None = None

    def __bool__(self) -> bool:
        return bool(self.text)


class Found(list[Note]):
    """The notes that a search found, best first. `error` is a code or None; empty when it is set.

    `detail` is then the server's sentence for a person; it never holds what was asked.
    """

    def __init__(
        self,
        notes: Iterable[Note] = (),
        *,
        error: str | None = None,
        detail: str = "",
        receipt_id: str | None = None,
    ) -> None:
        super().__init__(notes)
        self.error = error
        self.detail = detail
        self.receipt_id = receipt_id


class FoundNotes(Shape):
    """A search's answer as the server sends it."""

    notes: tuple[Note, ...]
    receipt_id: str | None = None


class NoteWarning(Shape):
    """What is stored but could be better, for example a long body."""

    code: str
    field: str | None = None
    detail: str = ""


class Finding(Shape):
    """Where personal data was found: positions in code points, never the value."""

    kind: str
    field: str
    start: int
    end: int


class Remembered(Shape):
    """What became of a note: stored (`note`), waiting for a person (`proposal_id`), or not (`error`).

    After `personal_data_in_agent_memory`, `kinds` and `findings` say what to remove; `retry_after` (seconds)
    says when a limited agent may write again. `detail` is the server's sentence about an error, for a person or a
    model; it never holds what was sent. True when the note is stored or waits.
    """

    note: Note | None = None
    proposal_id: str | None = None
    warnings: tuple[NoteWarning, ...] = ()
    error: str | None = None
    detail: str = ""
    kinds: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    retry_after: float | None = None

    def __bool__(self) -> bool:
        return self.error is None and (self.note is not None or self.proposal_id is not None)


class ItemError(Shape):
    """An item that was not taken, and the rule that it breaks."""

    index: int
    detail: str = ""


class Recorded(Shape):
    """What became of a batch of events: `errors` names by `index` the items that broke a rule."""

    accepted: int = 0
    duplicates: int = 0
    errors: tuple[ItemError, ...] = ()
