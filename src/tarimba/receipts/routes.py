"""The URLs of the log."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.receipts import search as searching
from tarimba.receipts.requests import SearchFields


class SearchBody(SearchFields):
    """`POST /v1/receipts/search`: every part that is given must hold."""

    cursor: Annotated[str, Field(max_length=128)] | None = None
    limit: Annotated[int, Field(ge=1, le=searching.LIMIT_MAX)] = searching.LIMIT


class ReceiptPage(BaseModel):
    """Receipts, newest first, each with its `seq` and the hash of its `leaf`."""

    items: list[dict[str, Any]]
    next_cursor: str | None = None


def search(kernel: Kernel, call: Call) -> Answer:
    body: SearchBody = call.body
    page = searching.search(kernel, call.principal, body.question(), cursor=body.cursor, limit=body.limit)
    content: dict[str, Any] = {"items": [stored.as_json() for stored in page.items]}
    if page.next_cursor is not None:
        content["next_cursor"] = page.next_cursor
    return Answer(content, receipt=page.recorded)


def get(kernel: Kernel, call: Call) -> Answer:
    stored, recorded = searching.get(kernel, call.principal, call.path["receipt_id"])
    return Answer(stored.as_json(), receipt=recorded)


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
