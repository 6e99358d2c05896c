"""The URLs of the customer memory beside the notes: context, history, subject tokens, and what became of a batch."""

from __future__ import annotations

from typing import Any, Final

from tarimba.clock import rfc3339
from tarimba.conversations import context, history, subject
from tarimba.conversations.context_text import VERSION
from tarimba.conversations.history import HistoryRead
from tarimba.conversations.history_tools import history_tools
from tarimba.conversations.neighbour import Item
from tarimba.conversations.neighbour_answers import (
    ContextAnswer,
    HistoryAnswer,
    IngestStatusAnswer,
    NothingAnswer,
    OpenedAnswer,
    SubjectTokenAnswer,
)
from tarimba.conversations.neighbour_requests import (
    ContextBody,
    HistoryBody,
    HistorySearchBody,
    IngestStatusBody,
    OpenBody,
    PrefetchBody,
    SubjectTokenBody,
    TimelineBody,
    ToolsQuery,
)
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel

_TAG: Final = "customer context"


def _context(kernel: Kernel, call: Call) -> Answer:
    read = context.read(kernel, call.principal, call.body.question())
    content: dict[str, Any] = {
        "version": VERSION,
        "etag": read.etag,
        "verification": {"requested": read.requested, "effective": read.effective},
        "path": read.path,
    }
    if read.text is None:
        content["not_modified"] = True
    else:
        content["text"] = read.text
    return Answer(content, receipt=read.receipt)


def _prefetch(kernel: Kernel, call: Call) -> Answer:
    return Answer({}, 202, context.prefetch(kernel, call.principal, call.body.who()))


def _search(kernel: Kernel, call: Call) -> Answer:
    body: HistorySearchBody = call.body
    found = history.search(
        kernel,
        call.principal,
        body.who(),
        body.query,
        body.window(),
        limit=body.most(),
        max_tokens=body.max_tokens,
    )
    return _items(found, body)


def _timeline(kernel: Kernel, call: Call) -> Answer:
    body: TimelineBody = call.body
    page = history.timeline(
        kernel, call.principal, body.who(), body.window(), cursor=body.cursor, limit=body.limit
    )
    return _items(page, body)


def _open(kernel: Kernel, call: Call) -> Answer:
    body: OpenBody = call.body
    found, receipt = history.opened(kernel, call.principal, body.who(), body.item_id)
    content = {"id": found.item_id, "kind": found.kind, "summary": "\n".join(found.lines)}
    return Answer(content, receipt=receipt)


def _subject_token(kernel: Kernel, call: Call) -> Answer:
    minted = subject.mint(kernel, call.principal, call.body.who(), call.once)
    return Answer({"token": minted.token, "expires_at": minted.expires_at}, receipt=minted.recorded)


def _ingest_status(kernel: Kernel, call: Call) -> Answer:
    state, receipt = history.state(kernel, call.principal, call.body.who())
    return Answer({"state": state}, receipt=receipt)


def _tools(kernel: Kernel, call: Call) -> Answer:
    return Answer(history_tools(kernel, call.principal, agent_memory=call.query.agent_memory))


def _items(read: HistoryRead, body: HistoryBody) -> Answer:
    content: dict[str, Any] = {"items": [_item(item) for item in read.items]}
    if read.next_cursor is not None:
        content["next_cursor"] = read.next_cursor
    if body.ignored():
        content["ignored"] = body.ignored()
    return Answer(content, receipt=read.receipt)


def _item(item: Item) -> dict[str, str]:
    return {"id": item.item_id, "kind": item.kind, "text": item.text, "at": rfc3339(item.at)}


ROUTES: Final = (
    Route(
        "POST", "/v1/context", _context, "Read a customer's context for the prompt", _TAG, "context.read",
        body=ContextBody, answer=ContextAnswer,
    ),
    Route(
        "POST", "/v1/context/prefetch", _prefetch, "Tell that a context will be read", _TAG, "context.read",
        body=PrefetchBody, answer=NothingAnswer, statuses=(202,),
    ),
    Route(
        "POST", "/v1/history/search", _search, "Search a customer's history, best first", _TAG, "history.read",
        body=HistorySearchBody, answer=HistoryAnswer,
    ),
    Route(
        "POST", "/v1/history/timeline", _timeline, "List a customer's history, newest first", _TAG, "history.read",
        body=TimelineBody, answer=HistoryAnswer,
    ),
    Route(
        "POST", "/v1/history/open", _open, "Open an item of a customer's history", _TAG, "history.read",
        body=OpenBody, answer=OpenedAnswer,
    ),
    Route(
        "GET", "/v1/history/tools", _tools, "List the function tools of the history", _TAG, None,
        exempt="definitions of tools hold nothing of a customer", query=ToolsQuery, answer=list[dict[str, Any]],
    ),
    Route(
        "POST", "/v1/subject-tokens", _subject_token, "Make a token that stands for one customer", _TAG,
        "subject.token", body=SubjectTokenBody, answer=SubjectTokenAnswer, idempotent=True,
    ),
    Route(
        "POST", "/v1/ingest/status", _ingest_status, "Tell what became of a conversation or task", _TAG,
        "history.read", body=IngestStatusBody, answer=IngestStatusAnswer,
    ),
)  # fmt: skip
