"""Calls of `client.api.skill_drafts`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, ACall, Unset, aevery, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.skill_drafts_shapes import DraftAnswer, DraftsAnswer, RoundAnswer


class AsyncSkillDrafts:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `skill_drafts` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def list(
        self,
        *,
        state: Literal["candidate", "quarantined", "pending", "refused", "applied"] | None = None,
        source_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> DraftsAnswer:
        """List drafts of skills, newest first.

        `GET /v1/agent-memory/skill-drafts`.
        """
        answer: DraftsAnswer = await self._call(
            request(
                "GET",
                "/v1/agent-memory/skill-drafts",
                query={"state": state, "source_id": source_id, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def each(
        self,
        *,
        state: Literal["candidate", "quarantined", "pending", "refused", "applied"] | None = None,
        source_id: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[DraftAnswer]:
        """Every entry of `list`, page by page."""
        return aevery(
            lambda cursor: self.list(state=state, source_id=source_id, limit=limit, cursor=cursor), "items"
        )

    async def round(
        self,
        *,
        source_id: str | Unset | None = UNSET,
        again: bool | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> RoundAnswer:
        """Have drafts of skills made from finished tasks.

        `POST /v1/agent-memory/skill-drafts/round`; receipt `evolution.round`.
        """
        answer: RoundAnswer = await self._call(
            request(
                "POST",
                "/v1/agent-memory/skill-drafts/round",
                body={"source_id": source_id, "again": again},
                once=idempotency_key,
            )
        )
        return answer

    async def get(self, draft_id: str) -> DraftAnswer:
        """Read a draft of a skill.

        `GET /v1/agent-memory/skill-drafts/{draft_id}`.
        """
        answer: DraftAnswer = await self._call(
            request("GET", f"/v1/agent-memory/skill-drafts/{placed(draft_id)}")
        )
        return answer

    async def refuse(self, draft_id: str, *, idempotency_key: str | None = None) -> DraftAnswer:
        """Refuse a draft of a skill.

        `POST /v1/agent-memory/skill-drafts/{draft_id}/refuse`; receipt `skill.refuse`.
        """
        answer: DraftAnswer = await self._call(
            request("POST", f"/v1/agent-memory/skill-drafts/{placed(draft_id)}/refuse", once=idempotency_key)
        )
        return answer

    async def apply(self, draft_id: str, *, idempotency_key: str | None = None) -> DraftAnswer:
        """Write a draft of a skill into the agent's workspace.

        `POST /v1/agent-memory/skill-drafts/{draft_id}/apply`; receipt `skill.apply`.
        """
        answer: DraftAnswer = await self._call(
            request("POST", f"/v1/agent-memory/skill-drafts/{placed(draft_id)}/apply", once=idempotency_key)
        )
        return answer
