"""`/v1/admin/vocabulary` and `/v1/admin/known-customers`."""

from __future__ import annotations

from typing import Any, Final, NotRequired

from typing_extensions import TypedDict

from tarimba.http.route import Answer, Call, Route
from tarimba.identity.changes import receipt_of
from tarimba.identity.listing import Window
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.personal_data import known_customers, vocabulary
from tarimba.personal_data.requests import CustomerBody, CustomersBody, ListQuery, TermBody
from tarimba.personal_data.vocabulary import NewTerm

_TAG: Final = "personal data"
_LISTS: Final = "Administration lists hold no content of agents or customers."
_COUNTS: Final = "It tells numbers, and reads no value."


class EntryView(TypedDict):
    entry_id: str
    term: str
    reason: str
    confirmed: bool
    created_at: str
    created_by: str


class EntriesView(TypedDict):
    items: list[EntryView]
    next_cursor: NotRequired[str]


class RemovedEntryView(TypedDict):
    entry_id: str


class SkippedView(TypedDict):
    """A value that was not taken: the place of its item, its field, and why."""

    index: int
    field: str
    detail: str


class TakenView(TypedDict):
    """`added` are new entries by kind, `known` is how many were there already."""

    added: dict[str, int]
    known: int
    skipped: list[SkippedView]


class CountsView(TypedDict):
    customers: int
    entries: dict[str, int]


class RemovedView(TypedDict):
    removed: int


def _get_vocabulary(kernel: Kernel, call: Call) -> Answer:
    key = kernel.keys.of(call.principal.space_id)
    scope = f"vocabulary\0{call.principal.id}"
    after = read_cursor(key, scope, call.query.cursor) if call.query.cursor else 0
    page = vocabulary.list_entries(kernel, call.principal, Window(call.query.limit, after))
    content: dict[str, Any] = {"items": [entry.as_json() for entry in page.items]}
    if page.ends_at is not None:
        content["next_cursor"] = write_cursor(key, scope, page.ends_at)
    return Answer(content)


def _post_vocabulary(kernel: Kernel, call: Call) -> Answer:
    body = call.body
    change = vocabulary.add(
        kernel, call.principal, NewTerm(body.term, body.reason, body.confirmed), call.once
    )
    made = vocabulary.read_entry(kernel, call.principal, change.ids["entry_id"])
    return Answer(made.as_json(), change.status, receipt_of(change))


def _delete_vocabulary(kernel: Kernel, call: Call) -> Answer:
    change = vocabulary.remove(kernel, call.principal, call.path["entry_id"], call.once)
    return Answer({"entry_id": change.ids["entry_id"]}, change.status, receipt_of(change))


def _get_customers(kernel: Kernel, call: Call) -> Answer:
    return Answer(known_customers.counts(kernel, call.principal).as_json())


def _post_customers(kernel: Kernel, call: Call) -> Answer:
    customers = [item.customer() for item in call.body.items]
    taken = known_customers.add(kernel, call.principal, customers, call.once)
    return Answer(taken.as_json(), taken.done.status, receipt_of(taken.done))


def _delete_customers(kernel: Kernel, call: Call) -> Answer:
    change, removed = known_customers.remove(kernel, call.principal, call.body.customer(), call.once)
    return Answer({"removed": removed}, change.status, receipt_of(change))


_WORDS: Final = "/v1/admin/vocabulary"
_PEOPLE: Final = "/v1/admin/known-customers"
ROUTES: Final = (
    Route(
        "GET", _WORDS, _get_vocabulary, "List the vocabulary", _TAG, None, _LISTS,
        query=ListQuery, answer=EntriesView,
    ),
    Route(
        "POST", _WORDS, _post_vocabulary, "Add a term", _TAG, "vocabulary.change",
        body=TermBody, answer=EntryView, statuses=(201,), idempotent=True,
    ),
    Route(
        "DELETE", f"{_WORDS}/{{entry_id}}", _delete_vocabulary, "Remove a term", _TAG, "vocabulary.change",
        answer=RemovedEntryView, idempotent=True,
    ),
    Route("GET", _PEOPLE, _get_customers, "Count known customers", _TAG, None, _COUNTS, answer=CountsView),
    Route(
        "POST", _PEOPLE, _post_customers, "Import known customers", _TAG, "import",
        body=CustomersBody, answer=TakenView, idempotent=True,
    ),
    Route(
        "DELETE", _PEOPLE, _delete_customers, "Remove values of known customers", _TAG, "known_customer.remove",
        body=CustomerBody, answer=RemovedView, idempotent=True,
    ),
)  # fmt: skip
