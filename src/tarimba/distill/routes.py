"""`POST /v1/agent-memory/distill`."""

from __future__ import annotations

from typing import Final

from tarimba.distill import service
from tarimba.distill.requests import DistillBody
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel
from tarimba.notes.answers import ProposalAnswer
from tarimba.proposals.service import proposal_json


def _distill(kernel: Kernel, call: Call) -> Answer:
    body: DistillBody = call.body
    asked = service.distill(
        kernel, call.principal, body.about(), source_id=body.source_id, once_key=call.once
    )
    return Answer(proposal_json(asked.proposal), asked.status, asked.receipt)


ROUTES: Final = (
    Route(
        "POST", "/v1/agent-memory/distill", _distill, "Have a proposal written from a conversation", "proposals",
        "distill.request", body=DistillBody, answer=ProposalAnswer, statuses=(201,), idempotent=True,
    ),
)  # fmt: skip
