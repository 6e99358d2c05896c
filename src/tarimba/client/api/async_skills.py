"""Calls of `client.api.skills`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.
# ruff: noqa: A002

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import ACall, aevery, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.skills_shapes import (
        DeletedView,
        DocView,
        IndexView,
        RowsView,
        SetView,
        SkillEntry,
        SkillsMemberRequestsFilesView,
        SkillsMemberRequestsRowView,
        SkillsMemberRequestsWrittenView,
    )


class AsyncSkills:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `skills` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def index(
        self,
        *,
        subscription: str | None = None,
        agent: str | None = None,
        member: str | None = None,
        project: str | None = None,
        workspace: str | None = None,
    ) -> IndexView:
        """The index of an agent's skills for the prompt.

        `GET /v1/skills/index`; receipt `skill.index`.
        """
        answer: IndexView = await self._call(
            request(
                "GET",
                "/v1/skills/index",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "member": member,
                    "project": project,
                    "workspace": workspace,
                },
            )
        )
        return answer

    async def list(
        self, *, subscription: str, agent: str, cursor: str | None = None, limit: int | None = None
    ) -> RowsView:
        """List a member's skills in all three layers.

        `GET /v1/skills`; receipt `skill.index`.
        """
        answer: RowsView = await self._call(
            request(
                "GET",
                "/v1/skills",
                query={"subscription": subscription, "agent": agent, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def each(
        self, *, subscription: str, agent: str, limit: int | None = None
    ) -> AsyncIterator[SkillsMemberRequestsRowView]:
        """Every entry of `list`, page by page."""
        return aevery(
            lambda cursor: self.list(subscription=subscription, agent=agent, limit=limit, cursor=cursor),
            "items",
        )

    async def files(
        self,
        *,
        subscription: str,
        agent: str,
        name: str,
        origin: Literal["member", "shared", "managed"] | None = None,
    ) -> SkillsMemberRequestsFilesView:
        """List the files of a skill.

        `GET /v1/skills/files`; receipt `skill.index`.
        """
        answer: SkillsMemberRequestsFilesView = await self._call(
            request(
                "GET",
                "/v1/skills/files",
                query={"subscription": subscription, "agent": agent, "name": name, "origin": origin},
            )
        )
        return answer

    async def open(
        self,
        *,
        subscription: str,
        agent: str,
        name: str,
        origin: Literal["member", "shared", "managed"] | None = None,
        path: str | None = None,
    ) -> DocView:
        """Open a file of a skill.

        `GET /v1/skills/doc`; receipt `skill.index`.
        """
        answer: DocView = await self._call(
            request(
                "GET",
                "/v1/skills/doc",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "name": name,
                    "origin": origin,
                    "path": path,
                },
            )
        )
        return answer

    async def write(
        self,
        *,
        subscription: str,
        agent: str,
        name: str,
        text: str,
        path: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> SkillsMemberRequestsWrittenView:
        """Write a file of one's own skill.

        `PUT /v1/skills`; receipt `member_skill.write`.
        """
        answer: SkillsMemberRequestsWrittenView = await self._call(
            request(
                "PUT",
                "/v1/skills",
                query={"subscription": subscription, "agent": agent, "name": name, "path": path},
                body={"text": text},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def delete(
        self,
        *,
        subscription: str,
        agent: str,
        name: str,
        path: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> DeletedView:
        """Delete one's own skill, or a file of it.

        `DELETE /v1/skills`; receipt `member_skill.write`.
        """
        answer: DeletedView = await self._call(
            request(
                "DELETE",
                "/v1/skills",
                query={"subscription": subscription, "agent": agent, "name": name, "path": path},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def effective_set(
        self,
        *,
        subscription: str | None = None,
        agent: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> SetView:
        """List the whole set of skills that an agent gets.

        `GET /v1/skills/effective-set`; receipt `skill.index`.
        """
        answer: SetView = await self._call(
            request(
                "GET",
                "/v1/skills/effective-set",
                query={"subscription": subscription, "agent": agent, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def each_effective_set(
        self, *, subscription: str | None = None, agent: str | None = None, limit: int | None = None
    ) -> AsyncIterator[SkillEntry]:
        """Every entry of `effective_set`, page by page."""
        return aevery(
            lambda cursor: self.effective_set(
                subscription=subscription, agent=agent, limit=limit, cursor=cursor
            ),
            "items",
        )

    async def blob(
        self, hash: str, *, name: str, subscription: str | None = None, agent: str | None = None
    ) -> bytes:
        """Fetch a file of a skill that an agent gets.

        `GET /v1/skills/blobs/{hash}`; receipt `skill.index`.
        """
        answer: bytes = await self._call(
            request(
                "GET",
                f"/v1/skills/blobs/{placed(hash)}",
                query={"subscription": subscription, "agent": agent, "name": name},
            )
        )
        return answer
