"""Calls of `client.api.proposals`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, ACall, Unset, aevery, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.notes_shapes import NoteAnswer
    from tarimba.client.api.proposals_shapes import (
        AllDecidedAnswer,
        DecisionBody,
        ProposalAnswer,
        ProposalsAnswer,
        ReviewedAnswer,
    )


class AsyncProposals:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `proposals` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def list(
        self,
        *,
        status: Literal["drafting", "pending", "approved", "rejected", "failed"] | None = None,
        source_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ProposalsAnswer:
        """List proposals, newest first.

        `GET /v1/agent-memory/proposals`; receipt `proposal.read`.
        """
        answer: ProposalsAnswer = await self._call(
            request(
                "GET",
                "/v1/agent-memory/proposals",
                query={"status": status, "source_id": source_id, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def each(
        self,
        *,
        status: Literal["drafting", "pending", "approved", "rejected", "failed"] | None = None,
        source_id: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[ProposalAnswer]:
        """Every entry of `list`, page by page."""
        return aevery(
            lambda cursor: self.list(status=status, source_id=source_id, limit=limit, cursor=cursor), "items"
        )

    async def decide(
        self, *, decisions: Sequence[DecisionBody], idempotency_key: str | None = None
    ) -> AllDecidedAnswer:
        """Decide up to 100 proposals at once, all or none.

        `POST /v1/agent-memory/proposals/decide`; receipt `proposal.approve`.
        """
        answer: AllDecidedAnswer = await self._call(
            request(
                "POST",
                "/v1/agent-memory/proposals/decide",
                body={"decisions": decisions},
                once=idempotency_key,
            )
        )
        return answer

    async def get(self, proposal_id: str) -> ReviewedAnswer:
        """Read a proposal, a person with what it would change.

        `GET /v1/agent-memory/proposals/{proposal_id}`; receipt `proposal.read`.
        """
        answer: ReviewedAnswer = await self._call(
            request("GET", f"/v1/agent-memory/proposals/{placed(proposal_id)}")
        )
        return answer

    async def approve(
        self,
        proposal_id: str,
        *,
        kind: Literal["procedure", "tool_note", "process_note", "pitfall"] | Unset | None = UNSET,
        title: str | Unset | None = UNSET,
        body: str | Unset | None = UNSET,
        tags: Sequence[str] | Unset | None = UNSET,
        visibility: Literal["source", "vendor", "space"] | Unset | None = UNSET,
        valid_until: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> NoteAnswer:
        """Approve a proposal, as it is or with another text.

        `POST /v1/agent-memory/proposals/{proposal_id}/approve`; receipt `proposal.approve`.
        """
        answer: NoteAnswer = await self._call(
            request(
                "POST",
                f"/v1/agent-memory/proposals/{placed(proposal_id)}/approve",
                body={
                    "kind": kind,
                    "title": title,
                    "body": body,
                    "tags": tags,
                    "visibility": visibility,
                    "valid_until": valid_until,
                },
                once=idempotency_key,
            )
        )
        return answer

    async def reject(
        self, proposal_id: str, *, reason: str | Unset | None = UNSET, idempotency_key: str | None = None
    ) -> ProposalAnswer:
        """Reject a proposal, with a reason or without.

        `POST /v1/agent-memory/proposals/{proposal_id}/reject`; receipt `proposal.reject`.
        """
        answer: ProposalAnswer = await self._call(
            request(
                "POST",
                f"/v1/agent-memory/proposals/{placed(proposal_id)}/reject",
                body={"reason": reason},
                once=idempotency_key,
            )
        )
        return answer

    async def distill(
        self,
        *,
        source_id: str | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> ProposalAnswer:
        """Have a proposal written from a conversation.

        `POST /v1/agent-memory/distill`; receipt `distill.request`.
        """
        answer: ProposalAnswer = await self._call(
            request(
                "POST",
                "/v1/agent-memory/distill",
                body={"source_id": source_id, "conversation_id": conversation_id, "task_id": task_id},
                once=idempotency_key,
            )
        )
        return answer
