"""What answers about notes hold: the shapes that the API's description shows."""

from __future__ import annotations

from pydantic import AwareDatetime, BaseModel

from tarimba.notes.model import Kind, Origin, Status, Visibility
from tarimba.proposals.model import Act, ProposalOrigin, ProposalStatus


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


class WaitingAnswer(BaseModel):
    """What waits for a person: the note stays as it is until then."""

    note: None
    proposal_id: str


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


class ProposalAnswer(BaseModel):
    """`kind`, `title` and `body` are empty while it is drafted, when it failed, and once rejected text is deleted."""

    proposal_id: str
    source_id: str
    act: Act
    edits_note_id: str | None
    kind: str
    title: str
    body: str
    tags: list[str]
    visibility: Visibility
    valid_until: AwareDatetime | None
    evidence: EvidenceAnswer | None
    origin: ProposalOrigin
    status: ProposalStatus
    note_id: str | None
    created_at: AwareDatetime
    created_by: str
    decided_at: AwareDatetime | None
    decided_by: str | None
    reason: str | None
    problem: str | None
    problem_kinds: list[str]
    similar_note_ids: list[str]
    edited: bool


class BlockChangeAnswer(BaseModel):
    max_tokens: int
    tokens_before: int
    tokens_after: int
    fits: bool
    gained: list[str]
    lost: list[str]


class ReviewAnswer(BaseModel):
    similar: list[NoteAnswer]
    contradictions: list[NoteAnswer]
    block: BlockChangeAnswer
    readers: int


class ReviewedAnswer(ProposalAnswer):
    """`review` comes to people, and is null for what does not wait for one."""

    review: ReviewAnswer | None = None


class ProposalsAnswer(BaseModel):
    items: list[ProposalAnswer]
    next_cursor: str | None


class DecidedAnswer(BaseModel):
    """`note` is that of an approval, null for a rejection."""

    proposal: ProposalAnswer
    note: NoteAnswer | None


class AllDecidedAnswer(BaseModel):
    items: list[DecidedAnswer]
