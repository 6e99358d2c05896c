"""Calls of `client.api.customers`."""
# Made by scripts/generate_client.py from the routes: change them, or it.
# ruff: noqa: A002

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from tarimba.client.api.calls import UNSET, Call, Unset, request

if TYPE_CHECKING:
    from tarimba.client.api.conversations_shapes import ConversationsRequestsHandleBody
    from tarimba.client.api.customers_shapes import (
        ContextAnswer,
        FiltersBody,
        HistoryAnswer,
        NothingAnswer,
        ObjectBody,
        OpenedAnswer,
        SubjectTokenAnswer,
        TargetBody,
    )


class Customers:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `customers` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def context(
        self,
        *,
        subject: ConversationsRequestsHandleBody | Unset | None = UNSET,
        subject_token: str | Unset | None = UNSET,
        about: ConversationsRequestsHandleBody | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        verification: Literal["V0", "V1", "V2", "V3", "V4", "no_customer"] | Unset = UNSET,
        object: ObjectBody | Unset | None = UNSET,
        view: str | Unset = UNSET,
        query: str | Unset | None = UNSET,
        delta: bool | Unset | None = UNSET,
        target: TargetBody | Unset | None = UNSET,
        known_etag: str | Unset | None = UNSET,
        format: Literal["text", "json"] | Unset | None = UNSET,
        explain: bool | Unset | None = UNSET,
        include: Sequence[str] | Unset | None = UNSET,
    ) -> ContextAnswer:
        """Read a customer's context for the prompt.

        `POST /v1/context`; receipt `context.read`.
        """
        answer: ContextAnswer = self._call(
            request(
                "POST",
                "/v1/context",
                body={
                    "subject": subject,
                    "subject_token": subject_token,
                    "about": about,
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                    "verification": verification,
                    "object": object,
                    "view": view,
                    "query": query,
                    "delta": delta,
                    "target": target,
                    "known_etag": known_etag,
                    "format": format,
                    "explain": explain,
                    "include": include,
                },
            )
        )
        return answer

    def prefetch(
        self,
        *,
        subject: ConversationsRequestsHandleBody | Unset | None = UNSET,
        subject_token: str | Unset | None = UNSET,
        about: ConversationsRequestsHandleBody | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        verification: Literal["V0", "V1", "V2", "V3", "V4", "no_customer"] | Unset = UNSET,
        object: ObjectBody | Unset | None = UNSET,
        view: str | Unset = UNSET,
        query: str | Unset | None = UNSET,
    ) -> NothingAnswer:
        """Tell that a context will be read.

        `POST /v1/context/prefetch`; receipt `context.read`.
        """
        answer: NothingAnswer = self._call(
            request(
                "POST",
                "/v1/context/prefetch",
                body={
                    "subject": subject,
                    "subject_token": subject_token,
                    "about": about,
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                    "verification": verification,
                    "object": object,
                    "view": view,
                    "query": query,
                },
            )
        )
        return answer

    def search(
        self,
        *,
        query: str,
        subject: ConversationsRequestsHandleBody | Unset | None = UNSET,
        subject_token: str | Unset | None = UNSET,
        about: ConversationsRequestsHandleBody | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        verification: Literal["V0", "V1", "V2", "V3", "V4", "no_customer"] | Unset = UNSET,
        filters: FiltersBody | Unset | None = UNSET,
        max_tokens: int | Unset = UNSET,
        limit: int | Unset | None = UNSET,
    ) -> HistoryAnswer:
        """Search a customer's history, best first.

        `POST /v1/history/search`; receipt `history.read`.
        """
        answer: HistoryAnswer = self._call(
            request(
                "POST",
                "/v1/history/search",
                body={
                    "subject": subject,
                    "subject_token": subject_token,
                    "about": about,
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                    "verification": verification,
                    "filters": filters,
                    "query": query,
                    "max_tokens": max_tokens,
                    "limit": limit,
                },
            )
        )
        return answer

    def timeline(
        self,
        *,
        subject: ConversationsRequestsHandleBody | Unset | None = UNSET,
        subject_token: str | Unset | None = UNSET,
        about: ConversationsRequestsHandleBody | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        verification: Literal["V0", "V1", "V2", "V3", "V4", "no_customer"] | Unset = UNSET,
        filters: FiltersBody | Unset | None = UNSET,
        cursor: str | Unset | None = UNSET,
        limit: int | Unset = UNSET,
    ) -> HistoryAnswer:
        """List a customer's history, newest first.

        `POST /v1/history/timeline`; receipt `history.read`.
        """
        answer: HistoryAnswer = self._call(
            request(
                "POST",
                "/v1/history/timeline",
                body={
                    "subject": subject,
                    "subject_token": subject_token,
                    "about": about,
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                    "verification": verification,
                    "filters": filters,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def open(
        self,
        *,
        item_id: str,
        subject: ConversationsRequestsHandleBody | Unset | None = UNSET,
        subject_token: str | Unset | None = UNSET,
        about: ConversationsRequestsHandleBody | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        verification: Literal["V0", "V1", "V2", "V3", "V4", "no_customer"] | Unset = UNSET,
    ) -> OpenedAnswer:
        """Open an item of a customer's history.

        `POST /v1/history/open`; receipt `history.read`.
        """
        answer: OpenedAnswer = self._call(
            request(
                "POST",
                "/v1/history/open",
                body={
                    "subject": subject,
                    "subject_token": subject_token,
                    "about": about,
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                    "verification": verification,
                    "item_id": item_id,
                },
            )
        )
        return answer

    def tools(self, *, agent_memory: bool | None = None) -> Sequence[Mapping[str, Any]]:
        """List the function tools of the history.

        `GET /v1/history/tools`.
        """
        answer: Sequence[Mapping[str, Any]] = self._call(
            request("GET", "/v1/history/tools", query={"agent_memory": agent_memory})
        )
        return answer

    def subject_token(
        self,
        *,
        subject: ConversationsRequestsHandleBody,
        about: ConversationsRequestsHandleBody | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        verification: Literal["V0", "V1", "V2", "V3", "V4", "no_customer"] | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> SubjectTokenAnswer:
        """Make a token that stands for one customer.

        `POST /v1/subject-tokens`; receipt `subject.token`.
        """
        answer: SubjectTokenAnswer = self._call(
            request(
                "POST",
                "/v1/subject-tokens",
                body={
                    "subject": subject,
                    "about": about,
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                    "verification": verification,
                },
                once=idempotency_key,
            )
        )
        return answer
