"""What answers about drafts of skills hold: the shapes that the API's description shows, and drafts in them."""

from __future__ import annotations

from typing import Any

from pydantic import AwareDatetime, BaseModel

from tarimba.clock import rfc3339
from tarimba.evolution.model import Draft, State


class DraftAnswer(BaseModel):
    """`name` and `text` are empty while it is a candidate and in quarantine; `text` is the whole SKILL.md."""

    draft_id: str
    source_id: str
    state: State
    problem: str | None
    name: str
    text: str
    writer: str
    operations: list[str]
    seen: int
    succeeded: int
    created_at: AwareDatetime
    decided_at: AwareDatetime | None
    decided_by: str | None


class DraftsAnswer(BaseModel):
    items: list[DraftAnswer]
    next_cursor: str | None


class RoundAnswer(BaseModel):
    """The candidates, which a worker writes and reviews; `has_more` says that another round would make more."""

    draft_ids: list[str]
    has_more: bool


def draft_json(one: Draft) -> dict[str, Any]:
    """The draft as the wire shows it: times in RFC 3339 with zone, lists never null."""
    return {
        "draft_id": one.draft_id,
        "source_id": one.source_id,
        "state": one.state,
        "problem": one.problem,
        "name": one.name,
        "text": one.text,
        "writer": one.writer,
        "operations": list(one.operations),
        "seen": one.seen,
        "succeeded": one.succeeded,
        "created_at": rfc3339(one.created_at),
        "decided_at": None if one.decided_at is None else rfc3339(one.decided_at),
        "decided_by": one.decided_by,
    }
