"""What answers about notes hold: the shapes that the API's description shows."""

from __future__ import annotations

from pydantic import AwareDatetime, BaseModel

from tarimba.notes.model import Kind, Origin, Status, Visibility


class EvidenceAnswer(BaseModel):
    conversation_id: str | None = None
    task_id: str | None = None


class NoteAnswer(BaseModel):
    note_id: str
    source_id: str
    kind: Kind
    title: str
    body: str
    tags: list[str]
    visibility: Visibility
    evidence: EvidenceAnswer | None
    origin: Origin
    version: int
    supersedes_note_id: str | None
    status: Status
    valid_until: AwareDatetime | None
    created_at: AwareDatetime
    created_by: str


class CautionAnswer(BaseModel):
    code: str
    field: str
    detail: str


class CreateAnswer(BaseModel):
    note: NoteAnswer | None
    proposal_id: str | None
    warnings: list[CautionAnswer]


class PageAnswer(BaseModel):
    items: list[NoteAnswer]
    next_cursor: str | None


class SearchAnswer(BaseModel):
    notes: list[NoteAnswer]
    receipt_id: str


class OutcomeAnswer(BaseModel):
    note_id: str
    helped: bool
    receipt_id: str
