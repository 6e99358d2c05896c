"""`/v1/memory-graph`: what members see of their own graph."""

from __future__ import annotations

from typing import Any, Final

from tarimba.clock import rfc3339
from tarimba.graph import auditing, curation_routes, file_routes, member, reading, searching, views
from tarimba.graph import requests as shapes
from tarimba.graph.auditing import Entry
from tarimba.graph.editing import etag
from tarimba.graph.model import Scope, Sight
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.receipts.model import Recorded

_TAG: Final = "memory graph"
_ROOT: Final = "/v1/memory-graph"
_READ: Final = "graph.read"


def _list(kernel: Kernel, call: Call) -> Answer:
    query: shapes.EntitiesQuery = call.query
    scope = f"entities {query.called()}\0{query.status}\0{query.type}"
    found = member.list_entities(
        kernel,
        call.principal,
        query.called(),
        status=query.status,
        type_=query.type,
        after=_place(kernel, call, scope),
        limit=query.limit,
    )
    return _page(kernel, call, scope, views.listing(found), ends_at=found.ends_at, receipt=found.receipt)


def _open(kernel: Kernel, call: Call) -> Answer:
    query: shapes.EntityQuery = call.query
    scope = f"entity {query.called()}\0{query.name}"
    found = member.open_entity(
        kernel,
        call.principal,
        query.called(),
        query.name,
        after=_place(kernel, call, scope),
        limit=query.limit,
    )
    tag = etag(kernel.keys.of(call.principal.space_id), found.at, found.entity)
    answer = _page(kernel, call, scope, views.opened(found), ends_at=found.ends_at, receipt=found.receipt)
    return Answer(answer.content, receipt=answer.receipt, headers={"etag": f'"{tag}"'})


def _look_around(kernel: Kernel, call: Call) -> Answer:
    query: shapes.NeighbourhoodQuery = call.query
    found = member.look_around(
        kernel, call.principal, query.called(), query.name, hops=query.hops, limit=query.limit
    )
    return Answer(views.neighbourhood(found), receipt=found.receipt)


def _search(kernel: Kernel, call: Call) -> Answer:
    query: shapes.SearchQuery = call.query
    scope, by = _seat(kernel, call), member.by_of(call.principal)
    if query.by == "words":
        found = searching.search_nodes(kernel, scope, by, query.query, limit=query.limit, cursor=query.cursor)
        return _sight(found, {"search_type": "words", "scores": []})
    meant = searching.semantic_search(kernel, scope, by, query.query, k=query.limit)
    content = {
        "entities": [views.entity(hit.entity) for hit in meant.hits],
        "relations": [],
        "truncated": False,
        "search_type": meant.search_type,
        "scores": [hit.score for hit in meant.hits],
    }
    return Answer(content, receipt=meant.receipt)


def _recent(kernel: Kernel, call: Call) -> Answer:
    query: shapes.RecentQuery = call.query
    scope, by = _seat(kernel, call), member.by_of(call.principal)
    found = reading.get_recent_changes(kernel, scope, by, query.hours, cursor=query.cursor)
    return _sight(found, {})


def _learned(kernel: Kernel, call: Call) -> Answer:
    query: shapes.ConversationQuery = call.query
    scope = f"learned {query.called()}\0{query.conversation_id}"
    found = member.learned_in(
        kernel,
        call.principal,
        query.called(),
        query.conversation_id,
        place=_place(kernel, call, scope),
        limit=query.limit,
    )
    return _page(kernel, call, scope, views.learned(found), ends_at=found.ends_at, receipt=found.receipt)


def _changes(kernel: Kernel, call: Call) -> Answer:
    query: shapes.ChangesQuery = call.query
    scope = f"changes {query.called()}"
    before = _place(kernel, call, scope) or None
    found = auditing.list_changes(kernel, call.principal, query.called(), before=before, limit=query.limit)
    content = {"items": [_change(one) for one in found.items]}
    return _page(kernel, call, scope, content, ends_at=found.ends_at, receipt=found.receipt)


def _change(one: Entry) -> dict[str, Any]:
    return {
        "change_id": one.change_id,
        "action": one.action,
        "actor": {"type": one.actor_type, "id": one.actor_id},
        "conversation_id": one.conversation_id,
        "at": rfc3339(one.at),
        "receipt_id": one.receipt_id,
        "undo": one.undo,
        "undone_by": one.undone_by,
    }


def _seat(kernel: Kernel, call: Call) -> Scope:
    with kernel.database.read() as connection:
        return member.seat_of(connection, call.principal, call.query.called())


def _sight(found: Sight, more: dict[str, Any]) -> Answer:
    content = views.sight(found) | more
    if found.next_cursor is not None:
        content["next_cursor"] = found.next_cursor
    return Answer(content, receipt=found.receipt)


def _place(kernel: Kernel, call: Call, scope: str) -> int:
    cursor = call.query.cursor
    key = kernel.keys.of(call.principal.space_id)
    return 0 if cursor is None else read_cursor(key, _bound(call, scope), cursor)


def _page(
    kernel: Kernel,
    call: Call,
    scope: str,
    content: dict[str, Any],
    *,
    ends_at: int | None,
    receipt: Recorded,
) -> Answer:
    if ends_at is not None:
        key = kernel.keys.of(call.principal.space_id)
        content["next_cursor"] = write_cursor(key, _bound(call, scope), ends_at)
    return Answer(content, receipt=receipt)


def _bound(call: Call, scope: str) -> str:
    """A cursor is of one list and one caller."""
    return f"memory graph {scope}\0{call.principal.id}"


ROUTES: Final = (
    Route(
        "GET", f"{_ROOT}/entities", _list, "List the entities of one's own graph", _TAG, _READ,
        query=shapes.EntitiesQuery, answer=shapes.EntitiesView,
    ),
    Route(
        "GET", f"{_ROOT}/entity", _open, "Open an entity with everything and its sources", _TAG, _READ,
        query=shapes.EntityQuery, answer=shapes.OpenedView,
    ),
    Route(
        "GET", f"{_ROOT}/neighbourhood", _look_around, "See what is around an entity", _TAG, _READ,
        query=shapes.NeighbourhoodQuery, answer=shapes.NeighbourhoodView,
    ),
    Route(
        "GET", f"{_ROOT}/search", _search, "Search one's own graph", _TAG, _READ,
        query=shapes.SearchQuery, answer=shapes.FoundView,
    ),
    Route(
        "GET", f"{_ROOT}/recent", _recent, "See what changed lately", _TAG, _READ,
        query=shapes.RecentQuery, answer=shapes.SightView,
    ),
    Route(
        "GET", f"{_ROOT}/conversation", _learned, "See all that was learned in one conversation", _TAG, _READ,
        query=shapes.ConversationQuery, answer=shapes.LearnedInView,
    ),
    Route(
        "GET", f"{_ROOT}/changes", _changes, "List the changes of one's own graph", _TAG, _READ,
        query=shapes.ChangesQuery, answer=shapes.ChangesView,
    ),
    *curation_routes.ROUTES,
    *file_routes.ROUTES,
)  # fmt: skip
