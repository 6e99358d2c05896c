"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Literal, TypedDict


class DraftAnswer(TypedDict):
    draft_id: str
    source_id: str
    state: Literal["candidate", "quarantined", "pending", "refused", "applied"]
    problem: str | None
    name: str
    text: str
    writer: str
    operations: list[str]
    seen: int
    succeeded: int
    created_at: str
    decided_at: str | None
    decided_by: str | None


class DraftsAnswer(TypedDict):
    items: list[DraftAnswer]
    next_cursor: str | None


class RoundAnswer(TypedDict):
    draft_ids: list[str]
    has_more: bool
