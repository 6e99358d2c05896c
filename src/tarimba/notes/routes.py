"""The URLs under `/v1/agent-memory` of the notes, and of what waits for a person who decides about them."""

from __future__ import annotations

from typing import Any, Final

from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.notes import service
from tarimba.notes.answers import (
    AllDecidedAnswer,
    CreateAnswer,
    NoteAnswer,
    OutcomeAnswer,
    PageAnswer,
    ProposalAnswer,
    ProposalsAnswer,
    ReviewedAnswer,
    SearchAnswer,
    WaitingAnswer,
)
from tarimba.notes.deciding import Decided, Decision
from tarimba.notes.model import Read, Written
from tarimba.notes.requests import (
    CreateBody,
    DecisionsBody,
    EditBody,
    ListQuery,
    OutcomeBody,
    ProposalsQuery,
    RejectBody,
    SearchBody,
)
from tarimba.notes.reviewing import Review
from tarimba.proposals import service as proposals

_ROOT: Final = "/v1/agent-memory"
_NOTE: Final = f"{_ROOT}/notes/{{note_id}}"
_PROPOSALS: Final = f"{_ROOT}/proposals"
_PROPOSAL: Final = f"{_PROPOSALS}/{{proposal_id}}"
_TAG: Final = "notes"
_WAITING: Final = "proposals"


def _create(kernel: Kernel, call: Call) -> Answer:
    body: CreateBody = call.body
    done = service.create(kernel, call.principal, body.draft(), source_id=body.source_id, once_key=call.once)
    content = {
        "note": None if done.note is None else service.note_json(done.note),
        "proposal_id": done.proposal_id,
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
    content = {"note_id": done.kept.note_id, "helped": outcome.helped, "receipt_id": done.receipt.id}
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
    if done.note is None:
        return Answer({"note": None, "proposal_id": done.proposal_id}, done.status, done.receipt)
    return Answer(service.note_json(done.note), done.status, done.receipt)


def _items(read: Read) -> list[dict[str, Any]]:
    return [service.note_json(note) for note in read.notes]


def _list_proposals(kernel: Kernel, call: Call) -> Answer:
    query: ProposalsQuery = call.query
    read = proposals.list_proposals(
        kernel, call.principal, query.filter(), cursor=query.cursor, limit=query.limit
    )
    items = [proposals.proposal_json(one) for one in read.proposals]
    return Answer({"items": items, "next_cursor": read.next_cursor}, receipt=read.receipt)


def _get_proposal(kernel: Kernel, call: Call) -> Answer:
    read = service.read_proposal(kernel, call.principal, call.path["proposal_id"])
    content = proposals.proposal_json(read.proposal)
    if call.principal.kind == "person":
        content["review"] = None if read.review is None else _review_json(read.review)
    return Answer(content, receipt=read.receipt)


def _approve(kernel: Kernel, call: Call) -> Answer:
    decision = Decision(call.path["proposal_id"], approves=True, changes=call.body.changes(call.given))
    done = service.decide(kernel, call.principal, decision, once_key=call.once)
    return Answer(_decided_json(done.decided[0])["note"], receipt=done.receipt)


def _reject(kernel: Kernel, call: Call) -> Answer:
    decision = Decision(call.path["proposal_id"], approves=False, reason=call.body.reason)
    done = service.decide(kernel, call.principal, decision, once_key=call.once)
    return Answer(_decided_json(done.decided[0])["proposal"], receipt=done.receipt)


def _decide(kernel: Kernel, call: Call) -> Answer:
    body: DecisionsBody = call.body
    decisions = [one.read() for one in body.decisions]
    done = service.decide_all(kernel, call.principal, decisions, once_key=call.once)
    return Answer({"items": [_decided_json(one) for one in done.decided]}, receipt=done.receipt)


def _decided_json(one: Decided) -> dict[str, Any]:
    note = None if one.note is None else service.note_json(one.note)
    return {"proposal": proposals.proposal_json(one.proposal), "note": note}


def _review_json(review: Review) -> dict[str, Any]:
    block = review.block
    return {
        "similar": [service.note_json(note) for note in review.similar],
        "contradictions": [service.note_json(note) for note in review.contradictions],
        "block": {
            "max_tokens": block.max_tokens,
            "tokens_before": block.tokens_before,
            "tokens_after": block.tokens_after,
            "fits": block.fits,
            "gained": list(block.gained),
            "lost": list(block.lost),
        },
        "readers": review.readers,
    }


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
        body=EditBody, answer=NoteAnswer | WaitingAnswer, statuses=(200, 202), idempotent=True,
    ),
    Route(
        "POST", f"{_NOTE}/retire", _retire, "Take a note out of use", _TAG, "note.retire",
        answer=NoteAnswer | WaitingAnswer, statuses=(200, 202), idempotent=True,
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
    Route(
        "GET", _PROPOSALS, _list_proposals, "List proposals, newest first", _WAITING, "proposal.read",
        query=ProposalsQuery, answer=ProposalsAnswer,
    ),
    Route(
        "POST", f"{_PROPOSALS}/decide", _decide, "Decide up to 100 proposals at once, all or none", _WAITING,
        "proposal.approve", body=DecisionsBody, answer=AllDecidedAnswer, idempotent=True,
    ),
    Route(
        "GET", _PROPOSAL, _get_proposal, "Read a proposal, a person with what it would change", _WAITING,
        "proposal.read", answer=ReviewedAnswer,
    ),
    Route(
        "POST", f"{_PROPOSAL}/approve", _approve, "Approve a proposal, as it is or with another text", _WAITING,
        "proposal.approve", body=EditBody, body_optional=True, answer=NoteAnswer, idempotent=True,
    ),
    Route(
        "POST", f"{_PROPOSAL}/reject", _reject, "Reject a proposal, with a reason or without", _WAITING,
        "proposal.reject", body=RejectBody, body_optional=True, answer=ProposalAnswer, idempotent=True,
    ),
)  # fmt: skip
