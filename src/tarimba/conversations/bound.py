"""The history of the one customer that a subject token stands for: what a model may ask without naming anybody."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints

from tarimba.clock import rfc3339
from tarimba.conversations import history
from tarimba.conversations.history import SEARCH_TOKENS, HistoryRead
from tarimba.conversations.history_tools import CURSOR_MAX, ENTRIES_MAX, ITEM_ID_MAX, QUERY_MAX, history_tools
from tarimba.conversations.neighbour import Window
from tarimba.conversations.neighbour_requests import Request, WindowBody
from tarimba.conversations.subject import Subject
from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.notes import service as notes

_NOBODY: Final = (
    "No customer is bound to this connection, so there is no history to read. Go on without it. The program that "
    "connects you binds one by sending the header `Tarimba-Subject-Token`, with a token that it makes with "
    "`POST /v1/subject-tokens`."
)
ItemKind = Literal["episode", "action", "system_event"]


class Filters(WindowBody):
    """What a model may narrow a history by."""

    item_kinds: list[ItemKind] | None = Field(None, max_length=ENTRIES_MAX)  # type: ignore[assignment]


class _Filtered(Request):
    filters: Filters | None = None

    def window(self) -> Window:
        return Window() if self.filters is None else self.filters.window()


class SearchArguments(_Filtered):
    """Arguments of `search_customer_history`."""

    query: str = Field(min_length=1, max_length=QUERY_MAX)
    max_tokens: int = Field(SEARCH_TOKENS, ge=50, le=4000)


class TimelineArguments(_Filtered):
    """Arguments of `get_customer_timeline`."""

    cursor: str | None = Field(None, max_length=CURSOR_MAX)
    limit: int = Field(20, ge=1, le=100)


class OpenArguments(Request):
    """Arguments of `open_history_item`."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=ITEM_ID_MAX)]


def tools(kernel: Kernel, principal: Principal, token: str | None) -> list[dict[str, Any]]:
    """The function tools of this key: those of the notes, and before them the history's where a customer is bound."""
    if token is None:
        return notes.tools(kernel, principal)
    return history_tools(kernel, principal, agent_memory=True)


def search(kernel: Kernel, principal: Principal, token: str | None, asked: SearchArguments) -> dict[str, Any]:
    """The items that have words of the query, best first. Raises 403 and 404, and 422 where no customer is bound."""
    who = _customer(principal, token)
    found = history.search(kernel, principal, who, asked.query, asked.window(), max_tokens=asked.max_tokens)
    return _items(found)


def timeline(
    kernel: Kernel, principal: Principal, token: str | None, asked: TimelineArguments
) -> dict[str, Any]:
    """A page of the items, newest first; `next_cursor` is null at the end. Raises as `search`."""
    who = _customer(principal, token)
    page = history.timeline(kernel, principal, who, asked.window(), cursor=asked.cursor, limit=asked.limit)
    return _items(page) | {"next_cursor": page.next_cursor}


def opened(kernel: Kernel, principal: Principal, token: str | None, asked: OpenArguments) -> dict[str, Any]:
    """One item with what was said around it. Raises as `search`; 404 also for another customer's item."""
    found, receipt = history.opened(kernel, principal, _customer(principal, token), asked.id)
    return {
        "id": found.item_id,
        "kind": found.kind,
        "summary": "\n".join(found.lines),
        "receipt_id": receipt.id,
    }


def _customer(principal: Principal, token: str | None) -> Subject:
    """Without a token nobody: an item must never be opened by its id alone from here."""
    allow(principal, "context")
    if token is None:
        raise Refusal("invalid_input", _NOBODY)
    return Subject(token=token)


def _items(read: HistoryRead) -> dict[str, Any]:
    items = [
        {"id": one.item_id, "kind": one.kind, "text": one.text, "at": rfc3339(one.at)} for one in read.items
    ]
    return {"items": items, "receipt_id": read.receipt.id}
