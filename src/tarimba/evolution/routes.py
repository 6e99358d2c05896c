"""`/v1/agent-memory/skill-drafts`."""

from __future__ import annotations

from typing import Final

from tarimba.evolution import service
from tarimba.evolution.answers import DraftAnswer, DraftsAnswer, RoundAnswer, draft_json
from tarimba.evolution.model import Decided, RoundWish
from tarimba.evolution.requests import DraftsQuery, RoundBody
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel

_ROOT: Final = "/v1/agent-memory/skill-drafts"
_DRAFT: Final = f"{_ROOT}/{{draft_id}}"
_TAG: Final = "skill drafts"
_READS: Final = "Drafts hold names of operations and our own words, and no note and nothing of customers."


def _list(kernel: Kernel, call: Call) -> Answer:
    query: DraftsQuery = call.query
    page = service.list_drafts(kernel, call.principal, query.filter(), cursor=query.cursor, limit=query.limit)
    return Answer({"items": [draft_json(one) for one in page.drafts], "next_cursor": page.next_cursor})


def _get(kernel: Kernel, call: Call) -> Answer:
    return Answer(draft_json(service.read(kernel, call.principal, call.path["draft_id"])))


def _round(kernel: Kernel, call: Call) -> Answer:
    body: RoundBody | None = call.body
    wish = RoundWish() if body is None else body.wish()
    made = service.ask(kernel, call.principal, wish, once_key=call.once)
    content = {"draft_ids": list(made.draft_ids), "has_more": made.has_more}
    return Answer(content, 202, made.receipt)


def _refuse(kernel: Kernel, call: Call) -> Answer:
    return _decided(service.refuse(kernel, call.principal, call.path["draft_id"], once_key=call.once))


def _apply(kernel: Kernel, call: Call) -> Answer:
    return _decided(service.apply(kernel, call.principal, call.path["draft_id"], once_key=call.once))


def _decided(made: Decided) -> Answer:
    return Answer(draft_json(made.draft), receipt=made.receipt)


ROUTES: Final = (
    Route(
        "GET", _ROOT, _list, "List drafts of skills, newest first", _TAG, None, _READS,
        query=DraftsQuery, answer=DraftsAnswer,
    ),
    Route(
        "POST", f"{_ROOT}/round", _round, "Have drafts of skills made from finished tasks", _TAG,
        "evolution.round", body=RoundBody, body_optional=True, answer=RoundAnswer, statuses=(202,), idempotent=True,
    ),
    Route("GET", _DRAFT, _get, "Read a draft of a skill", _TAG, None, _READS, answer=DraftAnswer),
    Route(
        "POST", f"{_DRAFT}/refuse", _refuse, "Refuse a draft of a skill", _TAG,
        "skill.refuse", answer=DraftAnswer, idempotent=True,
    ),
    Route(
        "POST", f"{_DRAFT}/apply", _apply, "Write a draft of a skill into the agent's workspace", _TAG,
        "skill.apply", answer=DraftAnswer, idempotent=True,
    ),
)  # fmt: skip
