"""Calls of `client.api.conversations`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from tarimba.client.api.calls import UNSET, ACall, Unset, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.conversations_shapes import (
        BatchView,
        ConversationsRequestsHandleBody,
        EndedView,
        ErasureView,
        IngestStatusAnswer,
        StartedView,
    )


class AsyncConversations:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `conversations` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def record(self, *, items: Sequence[Any]) -> BatchView:
        """Record what happened in conversations and tasks.

        `POST /v1/batch`; receipt `turns.record`.
        """
        answer: BatchView = await self._call(request("POST", "/v1/batch", body={"items": items}))
        return answer

    async def forget(
        self,
        *,
        target: Literal["profile", "handle", "conversation"],
        profile_id: str | Unset | None = UNSET,
        handle: ConversationsRequestsHandleBody | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> ErasureView:
        """Forget a customer or a conversation.

        `POST /v1/forget`; receipt `forget`.
        """
        answer: ErasureView = await self._call(
            request(
                "POST",
                "/v1/forget",
                body={
                    "target": target,
                    "profile_id": profile_id,
                    "handle": handle,
                    "conversation_id": conversation_id,
                },
                once=idempotency_key,
            )
        )
        return answer

    async def forgotten(self, request_id: str) -> ErasureView:
        """See how far a request to forget is.

        `GET /v1/forget/{request_id}`.
        """
        answer: ErasureView = await self._call(request("GET", f"/v1/forget/{placed(request_id)}"))
        return answer

    async def ingest_status(
        self, *, conversation_id: str | Unset | None = UNSET, task_id: str | Unset | None = UNSET
    ) -> IngestStatusAnswer:
        """Tell what became of a conversation or task.

        `POST /v1/ingest/status`; receipt `history.read`.
        """
        answer: IngestStatusAnswer = await self._call(
            request(
                "POST", "/v1/ingest/status", body={"conversation_id": conversation_id, "task_id": task_id}
            )
        )
        return answer

    async def turn_start(self, *, conversation_id: str, turn_id: str | Unset | None = UNSET) -> StartedView:
        """A turn of a workspace begins.

        `POST /v1/turns/start`.
        """
        answer: StartedView = await self._call(
            request("POST", "/v1/turns/start", body={"conversation_id": conversation_id, "turn_id": turn_id})
        )
        return answer

    async def turn_end(self, *, conversation_id: str, turn_id: str | Unset | None = UNSET) -> EndedView:
        """A turn of a workspace is over.

        `POST /v1/turns/end`.
        """
        answer: EndedView = await self._call(
            request("POST", "/v1/turns/end", body={"conversation_id": conversation_id, "turn_id": turn_id})
        )
        return answer
