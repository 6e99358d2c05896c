"""The URLs of the log."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tarimba.clock import from_datetime
from tarimba.errors import invalid
from tarimba.http.reading import CallerId, Moment
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.receipts import search as searching

_Id = Annotated[str, Field(pattern="^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]


class SearchBody(BaseModel):
    """`POST /v1/receipts/search`: every part that is given must hold."""

    model_config = ConfigDict(extra="forbid")

    conversation_id: CallerId | None = None
    task_id: CallerId | None = None
    source_id: _Id | None = None
    note_id: _Id | None = None
    proposal_id: _Id | None = None
    kind: Literal["read", "admin"] | None = None
    action: Annotated[str, Field(max_length=64)] | None = None
    actor: Annotated[str, Field(pattern="^[A-Za-z0-9_.:-]{1,64}$")] | None = None
    from_: Moment | None = Field(None, alias="from")
    to: Moment | None = None
    cursor: Annotated[str, Field(max_length=128)] | None = None
    limit: Annotated[int, Field(ge=1, le=searching.LIMIT_MAX)] = searching.LIMIT


class ReceiptPage(BaseModel):
    """Receipts, newest first, each with its `seq` and the hash of its `leaf`."""

    items: list[dict[str, Any]]
    next_cursor: str | None = None


def search(kernel: Kernel, call: Call) -> Answer:
    body: SearchBody = call.body
    question = searching.Question(
        conversation_id=body.conversation_id,
        task_id=body.task_id,
        source_id=body.source_id,
        note_id=body.note_id,
        proposal_id=body.proposal_id,
        kind=body.kind,
        action=body.action,
        actor=body.actor,
        start=_microseconds("from", body.from_),
        end=_microseconds("to", body.to),
    )
    page = searching.search(kernel, call.principal, question, cursor=body.cursor, limit=body.limit)
    content: dict[str, Any] = {"items": [stored.as_json() for stored in page.items]}
    if page.next_cursor is not None:
        content["next_cursor"] = page.next_cursor
    return Answer(content, receipt=page.recorded)


def get(kernel: Kernel, call: Call) -> Answer:
    stored, recorded = searching.get(kernel, call.principal, call.path["receipt_id"])
    return Answer(stored.as_json(), receipt=recorded)


def _microseconds(field: str, moment: datetime | None) -> int | None:
    """No receipt is older than 1970, so an earlier moment means the same as that."""
    try:
        return None if moment is None else max(0, from_datetime(moment))
    except OverflowError:
        raise invalid(field, "must lie within the calendar in UTC too") from None


ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/v1/receipts/search",
        search,
        "Find receipts by conversation, task, agent, note, proposal, actor, action or time",
        "receipts",
        "receipts.search",
        body=SearchBody,
        answer=ReceiptPage,
    ),
    Route(
        "GET",
        "/v1/receipts/{receipt_id}",
        get,
        "Read one receipt with its place in the log",
        "receipts",
        "receipts.search",
        answer=dict[str, Any],
    ),
)
