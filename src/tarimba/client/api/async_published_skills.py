"""Calls of `client.api.published_skills`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, ACall, Unset, aevery, request

if TYPE_CHECKING:
    from tarimba.client.api.published_skills_shapes import (
        DocumentView,
        EffectiveView,
        ExplainedView,
        PublishedNowView,
        PublishedView,
        SkillsViewsRemovedView,
        SkillsViewsSkillsView,
        SkillsViewsVersionsView,
    )


class AsyncPublishedSkills:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `published_skills` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def list(
        self,
        *,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> SkillsViewsSkillsView:
        """List published skills.

        `GET /v1/admin/skills`.
        """
        answer: SkillsViewsSkillsView = await self._call(
            request(
                "GET",
                "/v1/admin/skills",
                query={
                    "scope": scope,
                    "subscription": subscription,
                    "agent": agent,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def each(
        self,
        *,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[PublishedView]:
        """Every entry of `list`, page by page."""
        return aevery(
            lambda cursor: self.list(
                scope=scope, subscription=subscription, agent=agent, limit=limit, cursor=cursor
            ),
            "items",
        )

    async def publish(
        self,
        *,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        file: bytes | Unset | None = UNSET,
        body: bytes | Unset | None = UNSET,
        name: str | Unset = UNSET,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> PublishedNowView:
        """Publish a skill.

        `POST /v1/admin/skills`; receipt `skill.publish`.
        """
        answer: PublishedNowView = await self._call(
            request(
                "POST",
                "/v1/admin/skills",
                query={"scope": scope, "subscription": subscription, "agent": agent},
                form={"file": file, "body": body, "name": name},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def remove(
        self,
        *,
        name: str,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        erase: bool | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> SkillsViewsRemovedView:
        """Remove a published skill, or erase it.

        `DELETE /v1/admin/skills`; receipt `skill.remove`.
        """
        answer: SkillsViewsRemovedView = await self._call(
            request(
                "DELETE",
                "/v1/admin/skills",
                query={
                    "scope": scope,
                    "subscription": subscription,
                    "agent": agent,
                    "name": name,
                    "erase": erase,
                },
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def roll_back(
        self,
        *,
        name: str,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        version: int | Unset | None = UNSET,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> PublishedNowView:
        """Publish an old version again.

        `POST /v1/admin/skills/rollback`; receipt `skill.publish`.
        """
        answer: PublishedNowView = await self._call(
            request(
                "POST",
                "/v1/admin/skills/rollback",
                query={"scope": scope, "subscription": subscription, "agent": agent},
                body={"name": name, "version": version},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def versions(
        self,
        *,
        name: str,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> SkillsViewsVersionsView:
        """List the versions of a skill.

        `GET /v1/admin/skills/versions`.
        """
        answer: SkillsViewsVersionsView = await self._call(
            request(
                "GET",
                "/v1/admin/skills/versions",
                query={
                    "scope": scope,
                    "subscription": subscription,
                    "agent": agent,
                    "name": name,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def each_versions(
        self,
        *,
        name: str,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[PublishedView]:
        """Every entry of `versions`, page by page."""
        return aevery(
            lambda cursor: self.versions(
                scope=scope, subscription=subscription, agent=agent, name=name, limit=limit, cursor=cursor
            ),
            "items",
        )

    async def document(
        self,
        *,
        name: str,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        version: int | None = None,
    ) -> DocumentView:
        """Read a published skill.

        `GET /v1/admin/skills/doc`; receipt `skill.index`.
        """
        answer: DocumentView = await self._call(
            request(
                "GET",
                "/v1/admin/skills/doc",
                query={
                    "scope": scope,
                    "subscription": subscription,
                    "agent": agent,
                    "name": name,
                    "version": version,
                },
            )
        )
        return answer

    async def archive(
        self,
        *,
        name: str,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        version: int | None = None,
    ) -> bytes:
        """Download a published skill.

        `GET /v1/admin/skills/archive`; receipt `skill.index`.
        """
        answer: bytes = await self._call(
            request(
                "GET",
                "/v1/admin/skills/archive",
                query={
                    "scope": scope,
                    "subscription": subscription,
                    "agent": agent,
                    "name": name,
                    "version": version,
                },
            )
        )
        return answer

    async def effective(
        self,
        *,
        subscription: str | None = None,
        agent: str | None = None,
        name: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> EffectiveView:
        """Explain which skills an agent gets.

        `GET /v1/admin/skills/effective`.
        """
        answer: EffectiveView = await self._call(
            request(
                "GET",
                "/v1/admin/skills/effective",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "name": name,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def each_effective(
        self,
        *,
        subscription: str | None = None,
        agent: str | None = None,
        name: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[ExplainedView]:
        """Every entry of `effective`, page by page."""
        return aevery(
            lambda cursor: self.effective(
                subscription=subscription, agent=agent, name=name, limit=limit, cursor=cursor
            ),
            "items",
        )

    async def export(self) -> bytes:
        """Export every version of every skill.

        `GET /v1/admin/skills/export`; receipt `export`.
        """
        answer: bytes = await self._call(request("GET", "/v1/admin/skills/export"))
        return answer
