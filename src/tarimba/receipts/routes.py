"""The URLs of the log."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from tarimba.http.route import Answer, Call, NotYetError, Route
from tarimba.kernel import Kernel
from tarimba.receipts import search as searching
from tarimba.receipts import stream as streaming
from tarimba.receipts.requests import SearchFields

_LINES: Final = "application/x-ndjson"
_WAIT_MAX: Final = 30


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


class StreamQuery(BaseModel):
    """`GET /v1/receipts/stream`: from the place behind `after` on, waiting for news for so many seconds.

    `leaf` is that of the receipt at `after`: 409 when another one stands there by now.
    """

    model_config = ConfigDict(extra="forbid")

    after: Annotated[int, Field(ge=-1)] = -1
    limit: Annotated[int, Field(ge=1, le=streaming.LIMIT_MAX)] = streaming.LIMIT
    leaf: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    wait: Annotated[int, Field(ge=0, le=_WAIT_MAX)] = 0


def stream(kernel: Kernel, call: Call) -> Answer:
    query: StreamQuery = call.query
    pulled = streaming.pull(kernel, call.principal, query.after, query.limit, query.leaf)
    if not pulled.lines and call.waited < query.wait and not kernel.draining.is_on:
        raise NotYetError
    headers = {"Content-Type": _LINES, "Tarimba-Last-Seq": str(pulled.last)}
    if pulled.leaf is not None:
        headers["Tarimba-Last-Leaf"] = pulled.leaf
    return Answer(b"".join(pulled.lines), receipt=pulled.recorded, headers=headers)


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
        "/v1/receipts/stream",
        stream,
        "Follow the log from a place on, in its order, one receipt a line",
        "receipts",
        "receipts.search",
        query=StreamQuery,
        answer=bytes,
        media=_LINES,
        statuses=(200,),
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
