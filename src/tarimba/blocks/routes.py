"""The URL of the block, as the API describes it. `BlockEndpoint` serves it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from tarimba.blocks.endpoint import PATH, BlockEndpoint
from tarimba.blocks.query import TOKENS_MAX, TOKENS_MIN, VIEW_MAX
from tarimba.http.route import Route
from tarimba.text import CALLER_ID_MAX


class BlockParameters(BaseModel):
    """What decides the bytes; the two ids go only into the receipt."""

    model_config = ConfigDict(extra="forbid")

    max_tokens: int | None = Field(
        None, ge=TOKENS_MIN, le=TOKENS_MAX, description="Budget of the whole text."
    )
    tags: list[str] = Field(default=[], description="Notes with these tags come first.")
    view: str | None = Field(
        None, min_length=1, max_length=VIEW_MAX, description="For example `task:<name>`."
    )
    conversation_id: str | None = Field(default=None, min_length=1, max_length=CALLER_ID_MAX)
    task_id: str | None = Field(default=None, min_length=1, max_length=CALLER_ID_MAX)


class CacheHint(BaseModel):
    """Where a client sets its provider's cache breakpoint."""

    breakpoint_after: str


class BlockAnswer(BaseModel):
    """The block and how it came about."""

    text: str
    notes: list[str]
    etag: str
    tokens: int
    enabled: bool
    left_out: int
    cache_hint: CacheHint
    receipt_id: str


ROUTES = (
    Route(
        "GET",
        PATH,
        None,
        "The agent's notes as one block for the prompt",
        "block",
        receipt="block.read",
        query=BlockParameters,
        answer=BlockAnswer,
        statuses=(200, 304),
        endpoint=BlockEndpoint,
    ),
)
