"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from tarimba.client.api.notes_shapes import EvidenceAnswer, NoteAnswer


class ProposalAnswer(TypedDict):
    proposal_id: str
    source_id: str
    act: Literal["create", "edit", "retire", "open"]
    edits_note_id: str | None
    kind: str
    title: str
    body: str
    tags: list[str]
    visibility: Literal["source", "vendor", "space"]
    valid_until: str | None
    evidence: EvidenceAnswer | None
    origin: Literal["distilled", "agent"]
    status: Literal["drafting", "pending", "approved", "rejected", "failed"]
    note_id: str | None
    created_at: str
    created_by: str
    decided_at: str | None
    decided_by: str | None
    reason: str | None
    problem: str | None
    problem_kinds: list[str]
    similar_note_ids: list[str]
    edited: bool


class ProposalsAnswer(TypedDict):
    items: list[ProposalAnswer]
    next_cursor: str | None


class DecidedAnswer(TypedDict):
    proposal: ProposalAnswer
    note: NoteAnswer | None


class AllDecidedAnswer(TypedDict):
    items: list[DecidedAnswer]


class EditBody(TypedDict):
    kind: NotRequired[Literal["procedure", "tool_note", "process_note", "pitfall"] | None]
    title: NotRequired[str | None]
    body: NotRequired[str | None]
    tags: NotRequired[list[str] | None]
    visibility: NotRequired[Literal["source", "vendor", "space"] | None]
    valid_until: NotRequired[str | None]


class DecisionBody(TypedDict):
    proposal_id: str
    decision: Literal["approve", "reject"]
    changes: NotRequired[EditBody | None]
    reason: NotRequired[str | None]


class BlockChangeAnswer(TypedDict):
    max_tokens: int
    tokens_before: int
    tokens_after: int
    fits: bool
    gained: list[str]
    lost: list[str]


class ReviewAnswer(TypedDict):
    similar: list[NoteAnswer]
    contradictions: list[NoteAnswer]
    block: BlockChangeAnswer
    readers: int


class ReviewedAnswer(TypedDict):
    proposal_id: str
    source_id: str
    act: Literal["create", "edit", "retire", "open"]
    edits_note_id: str | None
    kind: str
    title: str
    body: str
    tags: list[str]
    visibility: Literal["source", "vendor", "space"]
    valid_until: str | None
    evidence: EvidenceAnswer | None
    origin: Literal["distilled", "agent"]
    status: Literal["drafting", "pending", "approved", "rejected", "failed"]
    note_id: str | None
    created_at: str
    created_by: str
    decided_at: str | None
    decided_by: str | None
    reason: str | None
    problem: str | None
    problem_kinds: list[str]
    similar_note_ids: list[str]
    edited: bool
    review: NotRequired[ReviewAnswer | None]
