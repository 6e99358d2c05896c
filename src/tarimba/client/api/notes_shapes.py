"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class CacheHint(TypedDict):
    breakpoint_after: str


class BlockAnswer(TypedDict):
    text: str
    notes: list[str]
    etag: str
    tokens: int
    enabled: bool
    left_out: int
    cache_hint: CacheHint
    receipt_id: str


class EvidenceAnswer(TypedDict):
    conversation_id: NotRequired[str | None]
    task_id: NotRequired[str | None]


class NoteAnswer(TypedDict):
    note_id: str
    source_id: str
    kind: Literal["procedure", "tool_note", "process_note", "pitfall"]
    title: str
    body: str
    tags: list[str]
    visibility: Literal["source", "vendor", "space"]
    evidence: EvidenceAnswer | None
    origin: Literal["agent", "human", "distilled"]
    version: int
    supersedes_note_id: str | None
    status: Literal["active", "retired"]
    valid_until: str | None
    created_at: str
    created_by: str


class CautionAnswer(TypedDict):
    code: str
    field: str
    detail: str


class CreateAnswer(TypedDict):
    note: NoteAnswer | None
    proposal_id: str | None
    warnings: list[CautionAnswer]


class EvidenceBody(TypedDict):
    conversation_id: NotRequired[str | None]
    task_id: NotRequired[str | None]


class PageAnswer(TypedDict):
    items: list[NoteAnswer]
    next_cursor: str | None


class WaitingAnswer(TypedDict):
    note: None
    proposal_id: str


class OutcomeAnswer(TypedDict):
    note_id: str
    helped: bool
    receipt_id: str


class SearchAnswer(TypedDict):
    notes: list[NoteAnswer]
    receipt_id: str


class ErasedAnswer(TypedDict):
    source_id: str
    deleted: int
    receipt_id: str


class ExportAnswer(TypedDict):
    source_id: str | None
    exported_at: str
    notes: list[dict[str, Any]]
    proposals: list[dict[str, Any]]


class RefusedRow(TypedDict):
    array: str
    index: int
    code: str
    detail: str
    kinds: list[str]


class ImportAnswer(TypedDict):
    notes: int
    versions: int
    proposals: int
    refused_count: int
    refused: list[RefusedRow]
    receipt_id: str
