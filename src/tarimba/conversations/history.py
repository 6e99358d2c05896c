"""A customer's history: searched, leafed through, opened. Each leaves its receipt before it is answered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Literal

from tarimba.conversations import neighbour_store as store
from tarimba.conversations import subject
from tarimba.conversations.neighbour import Asked, Item, Opened, Window
from tarimba.conversations.subject import Subject
from tarimba.errors import invalid, not_found
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read

State = Literal["open", "ready", "unknown"]
SEARCH_LIMIT: Final = 20
SEARCH_TOKENS: Final = 800


@dataclass(frozen=True, slots=True)
class HistoryRead:
    """Items of one customer, the cursor of what comes after them, and the receipt of having read them."""

    items: tuple[Item, ...]
    receipt: Recorded
    next_cursor: str | None = None


def search(
    kernel: Kernel,
    principal: Principal,
    who: Subject,
    query: str,
    window: Window,
    *,
    limit: int = SEARCH_LIMIT,
    max_tokens: int = SEARCH_TOKENS,
) -> HistoryRead:
    """The items that have words of the query, best first, as many as fit. Raises 403, 404 and 422 for the subject."""
    asked = subject.settle(kernel, principal, who)
    found = kernel.customers.search(asked, query, window, limit)
    items = _fitting(kernel, found, max_tokens)
    detail = {"query": kernel.keys.of(asked.space_id).commit(query), "limit": limit, "items": _ids(items)}
    return HistoryRead(items, _leave(kernel, principal, asked, "search", detail))


def timeline(
    kernel: Kernel,
    principal: Principal,
    who: Subject,
    window: Window,
    *,
    cursor: str | None = None,
    limit: int = 20,
) -> HistoryRead:
    """A page of the customer's items, newest first. Raises 422 for a cursor that is not of this very timeline."""
    asked = subject.settle(kernel, principal, who)
    key = kernel.keys.of(asked.space_id)
    scope = _scope(asked, window)
    before = None if cursor is None else read_cursor(key, scope, cursor)
    found = kernel.customers.timeline(asked, window, before, limit + 1)
    items = found[:limit]
    after = write_cursor(key, scope, items[-1].place) if len(found) > limit else None
    detail = {"limit": limit, "continued": cursor is not None, "items": _ids(items)}
    return HistoryRead(items, _leave(kernel, principal, asked, "timeline", detail), after)


def opened(kernel: Kernel, principal: Principal, who: Subject, item_id: str) -> tuple[Opened, Recorded]:
    """One item with what was said around it. Raises 404 for what is not there and for another customer's alike."""
    asked = subject.settle(kernel, principal, who)
    found = kernel.customers.opened(asked, item_id)
    if found is None:
        raise not_found("item")
    detail = {"items": [found.item_id], "lines": len(found.lines)}
    return found, _leave(kernel, principal, asked, "open", detail)


def state(kernel: Kernel, principal: Principal, who: Subject) -> tuple[State, Recorded]:
    """Whether what was recorded of a conversation or task can be read: it can from the moment it was taken.

    `unknown` before its first turn and for what only agents of other vendors recorded, `ready` when it has ended.
    Raises 403, and 422 unless one of the two ids is given.
    """
    allow(principal, "ingest_status")
    talk = subject.talk_of(kernel.keys.of(principal.space_id), who)
    if talk is None:
        raise invalid("conversation_id", "or `task_id` is required")
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
        vendor = None if settings.across_vendors else principal.vendor_id
        rows = store.talks(connection, principal.space_id, vendor, talk)
        newest = store.last_ordinal(connection, principal.space_id, (row.conversation_ref for row in rows))
    ended = max((row.ended or 0 for row in rows), default=0)
    found: State = "unknown" if not rows else "ready" if ended > newest else "open"
    detail = {"what": "state", "state": found, talk.kind: talk.mac}
    receipt = Receipt("history.read", principal.actor, principal.via, principal.source_id, detail=detail)
    return found, record_read(kernel.writer, principal.space_id, receipt)


def _fitting(kernel: Kernel, found: tuple[Item, ...], max_tokens: int) -> tuple[Item, ...]:
    items: list[Item] = []
    for item in found:
        max_tokens -= kernel.tokenizer.count(item.text)
        if max_tokens < 0:
            break
        items.append(item)
    return tuple(items)


def _ids(items: tuple[Item, ...]) -> list[str]:
    return [item.item_id for item in items]


def _scope(asked: Asked, window: Window) -> str:
    """What a cursor is good for: this agent, this customer, this filter."""
    talk = None if asked.talk is None else [asked.talk.kind, asked.talk.mac]
    wanted = [window.since, window.until, sorted(window.channels), sorted(window.kinds)]
    return json.dumps(["history", asked.source_id, asked.customer, talk, wanted])


def _leave(kernel: Kernel, principal: Principal, asked: Asked, what: str, detail: dict[str, Any]) -> Recorded:
    receipt = Receipt(
        "history.read",
        principal.actor,
        principal.via,
        principal.source_id,
        detail={"what": what, **detail, **subject.about(asked)},
    )
    return record_read(kernel.writer, asked.space_id, receipt)
