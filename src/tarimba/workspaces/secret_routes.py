"""`/v1/admin/secrets`, and `/v1/secrets` for a member's own. Every answer holds names alone."""

from __future__ import annotations

from typing import Any, Final

from tarimba.http.route import Answer, Call, Route
from tarimba.identity.changes import receipt_of
from tarimba.identity.listing import Window
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.workspaces import secret_changes as changes
from tarimba.workspaces import secret_requests as shapes
from tarimba.workspaces.secret_views import changed_view, given_view, own_views

_TAG: Final = "secrets"
_LISTS: Final = "Administration lists hold no content of agents or customers."
# JSON may write each character of a value of 64 KiB in six.
_BODY_MAX: Final = 512 * 1024


def _list(kernel: Kernel, call: Call) -> Answer:
    query: shapes.GivenQuery = call.query
    key = kernel.keys.of(call.principal.space_id)
    scope = f"secrets {query.called()}\0{call.principal.id}"
    after = read_cursor(key, scope, query.cursor) if query.cursor else 0
    page = changes.list_given(kernel, call.principal, query.called(), Window(query.limit, after))
    content: dict[str, Any] = {"items": [given_view(one) for one in page.items]}
    if page.ends_at is not None:
        content["next_cursor"] = write_cursor(key, scope, page.ends_at)
    return Answer(content)


def _put(kernel: Kernel, call: Call) -> Answer:
    query: shapes.PlaceQuery = call.query
    value = call.body.value
    done = changes.put_given(kernel, call.principal, query.called(), query.name, value, call.once)
    return Answer(changed_view(query.name, done), done.status, receipt_of(done))


def _delete(kernel: Kernel, call: Call) -> Answer:
    query: shapes.PlaceQuery = call.query
    done = changes.remove_given(kernel, call.principal, query.called(), query.name, call.once)
    return Answer({"secret_id": done.ids["secret_id"], "name": query.name}, receipt=receipt_of(done))


def _list_own(kernel: Kernel, call: Call) -> Answer:
    found = changes.list_own(kernel, call.principal, call.query.called())
    return Answer({"items": own_views(found)}, receipt=found.receipt)


def _put_own(kernel: Kernel, call: Call) -> Answer:
    query: shapes.OwnQuery = call.query
    value = call.body.value
    done = changes.put_own(kernel, call.principal, query.called(), query.name, value, call.once)
    return Answer(changed_view(query.name, done), done.status, receipt_of(done))


def _delete_own(kernel: Kernel, call: Call) -> Answer:
    query: shapes.OwnQuery = call.query
    done = changes.remove_own(kernel, call.principal, query.called(), query.name, call.once)
    return Answer({"secret_id": done.ids["secret_id"], "name": query.name}, receipt=receipt_of(done))


_GIVEN: Final = "/v1/admin/secrets"
_OWN: Final = "/v1/secrets"
_CHANGE: Final = "secret.change"
ROUTES: Final = (
    Route(
        "GET", _GIVEN, _list, "List the names of secrets that are given to agents", _TAG, None, exempt=_LISTS,
        query=shapes.GivenQuery, answer=shapes.GivenListView,
    ),
    Route(
        "PUT", _GIVEN, _put, "Give agents a secret", _TAG, _CHANGE, query=shapes.PlaceQuery,
        body=shapes.ValueBody, body_max=_BODY_MAX, answer=shapes.ChangedView, statuses=(200, 201), idempotent=True,
    ),
    Route(
        "DELETE", _GIVEN, _delete, "Take a secret from agents", _TAG, _CHANGE, query=shapes.PlaceQuery,
        answer=shapes.RemovedView, idempotent=True,
    ),
    Route(
        "GET", _OWN, _list_own, "List the names of the secrets that one's agent gets", _TAG, "workspace.read",
        query=shapes.SeatQuery, answer=shapes.OwnListView,
    ),
    Route(
        "PUT", _OWN, _put_own, "Give one's agent a secret of one's own", _TAG, _CHANGE, query=shapes.OwnQuery,
        body=shapes.ValueBody, body_max=_BODY_MAX, answer=shapes.ChangedView, statuses=(200, 201), idempotent=True,
    ),
    Route(
        "DELETE", _OWN, _delete_own, "Take a secret of one's own from one's agent", _TAG, _CHANGE,
        query=shapes.OwnQuery, answer=shapes.RemovedView, idempotent=True,
    ),
)  # fmt: skip
