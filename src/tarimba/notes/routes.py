"""The URLs of the notes under `/v1/agent-memory`."""

from __future__ import annotations

from typing import Any, Final

from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.notes import service
from tarimba.notes.answers import CreateAnswer, NoteAnswer, OutcomeAnswer, PageAnswer, SearchAnswer
from tarimba.notes.model import Read, Written
from tarimba.notes.requests import CreateBody, EditBody, ListQuery, OutcomeBody, SearchBody

_ROOT: Final = "/v1/agent-memory"
_NOTE: Final = f"{_ROOT}/notes/{{note_id}}"
_TAG: Final = "notes"


def _create(kernel: Kernel, call: Call) -> Answer:
    body: CreateBody = call.body
    done = service.create(kernel, call.principal, body.draft(), source_id=body.source_id, once_key=call.once)
    content = {
        "note": service.note_json(done.note),
        "proposal_id": None,
        "warnings": [service.caution_json(caution) for caution in done.warnings],
    }
    return Answer(content, done.status, done.receipt)


def _edit(kernel: Kernel, call: Call) -> Answer:
    wanted = call.body.changes(call.given)
    return _note(service.edit(kernel, call.principal, call.path["note_id"], wanted, once_key=call.once))


def _retire(kernel: Kernel, call: Call) -> Answer:
    return _note(service.retire(kernel, call.principal, call.path["note_id"], once_key=call.once))


def _outcome(kernel: Kernel, call: Call) -> Answer:
    outcome = call.body.outcome()
    done = service.record_outcome(kernel, call.principal, call.path["note_id"], outcome, once_key=call.once)
    assert done.receipt is not None
    content = {"note_id": done.note.note_id, "helped": outcome.helped, "receipt_id": done.receipt.id}
    return Answer(content, done.status, done.receipt)


def _get(kernel: Kernel, call: Call) -> Answer:
    read = service.get(kernel, call.principal, call.path["note_id"])
    return Answer(_items(read)[0], receipt=read.receipt)


def _versions(kernel: Kernel, call: Call) -> Answer:
    read = service.versions(kernel, call.principal, call.path["note_id"])
    return Answer(_items(read), receipt=read.receipt)


def _list(kernel: Kernel, call: Call) -> Answer:
    query: ListQuery = call.query
    read = service.list_notes(kernel, call.principal, query.filter(), cursor=query.cursor, limit=query.limit)
    return Answer({"items": _items(read), "next_cursor": read.next_cursor}, receipt=read.receipt)


def _search(kernel: Kernel, call: Call) -> Answer:
    read = service.search(kernel, call.principal, call.body.question())
    return Answer({"notes": _items(read), "receipt_id": read.receipt.id}, receipt=read.receipt)


def _tools(kernel: Kernel, call: Call) -> Answer:
    return Answer(service.tools(kernel, call.principal))


def _note(done: Written) -> Answer:
    return Answer(service.note_json(done.note), done.status, done.receipt)


def _items(read: Read) -> list[dict[str, Any]]:
    return [service.note_json(note) for note in read.notes]


ROUTES: Final = (
    Route(
        "POST", f"{_ROOT}/notes", _create, "Keep a note", _TAG, "note.create",
        body=CreateBody, answer=CreateAnswer, statuses=(201,), idempotent=True,
    ),
    Route(
        "GET", f"{_ROOT}/notes", _list, "List notes, newest first", _TAG, "notes.list",
        query=ListQuery, answer=PageAnswer,
    ),
    Route("GET", _NOTE, _get, "Read one version of a note", _TAG, "note.read", answer=NoteAnswer),
    Route(
        "PATCH", _NOTE, _edit, "Make a new version of a note", _TAG, "note.edit",
        body=EditBody, answer=NoteAnswer, idempotent=True,
    ),
    Route(
        "POST", f"{_NOTE}/retire", _retire, "Take a note out of use", _TAG, "note.retire",
        answer=NoteAnswer, idempotent=True,
    ),
    Route(
        "GET", f"{_NOTE}/versions", _versions, "List the versions of a note, oldest first", _TAG,
        "note.versions", answer=list[NoteAnswer],
    ),
    Route(
        "POST", f"{_NOTE}/outcomes", _outcome, "Tell whether a note helped", _TAG, "note.outcome",
        body=OutcomeBody, answer=OutcomeAnswer, statuses=(202,), idempotent=True,
    ),
    Route(
        "POST", f"{_ROOT}/search", _search, "Search notes, best first", _TAG, "notes.search",
        body=SearchBody, answer=SearchAnswer,
    ),
    Route(
        "GET", f"{_ROOT}/tools", _tools, "List the function tools this key may use", _TAG, None,
        exempt="definitions of tools hold no note", answer=list[dict[str, Any]],
    ),
)  # fmt: skip
