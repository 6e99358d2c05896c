"""What requests about drafts of skills may hold."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from tarimba.evolution.model import DraftFilter, RoundWish, State

_ID_MAX = 64


class RoundBody(BaseModel):
    """Strict: unknown fields are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source_id: str | None = Field(None, max_length=_ID_MAX)
    again: bool = False

    def wish(self) -> RoundWish:
        return RoundWish(self.source_id, self.again)


class DraftsQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    state: State | None = None
    source_id: str | None = Field(None, max_length=_ID_MAX)
    cursor: str | None = Field(None, max_length=256)
    limit: int = Field(20, ge=1, le=100)

    def filter(self) -> DraftFilter:
        return DraftFilter(self.state, self.source_id)
