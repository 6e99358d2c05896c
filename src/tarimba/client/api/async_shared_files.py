"""Calls of `client.api.shared_files`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import ACall, aevery, request

if TYPE_CHECKING:
    from tarimba.client.api.shared_files_shapes import (
        SharedFilesView,
        SharedFileView,
        SharedNowView,
        UnsharedView,
    )


class AsyncSharedFiles:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `shared_files` of `client.api`."""

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
    ) -> SharedFilesView:
        """List shared files.

        `GET /v1/admin/files`.
        """
        answer: SharedFilesView = await self._call(
            request(
                "GET",
                "/v1/admin/files",
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
    ) -> AsyncIterator[SharedFileView]:
        """Every entry of `list`, page by page."""
        return aevery(
            lambda cursor: self.list(
                scope=scope, subscription=subscription, agent=agent, limit=limit, cursor=cursor
            ),
            "items",
        )

    async def share(
        self,
        *,
        file: bytes,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        path: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> SharedNowView:
        """Share a file.

        `POST /v1/admin/files`; receipt `file.publish`.
        """
        answer: SharedNowView = await self._call(
            request(
                "POST",
                "/v1/admin/files",
                query={"scope": scope, "subscription": subscription, "agent": agent, "path": path},
                form={"file": file},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def remove(
        self,
        *,
        path: str,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> UnsharedView:
        """Remove a shared file.

        `DELETE /v1/admin/files`; receipt `file.remove`.
        """
        answer: UnsharedView = await self._call(
            request(
                "DELETE",
                "/v1/admin/files",
                query={"scope": scope, "subscription": subscription, "agent": agent, "path": path},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def content(
        self,
        *,
        path: str,
        scope: Literal["tenant", "subscription"] | None = None,
        subscription: str | None = None,
        agent: str | None = None,
    ) -> bytes:
        """Download a shared file.

        `GET /v1/admin/files/content`; receipt `skill.index`.
        """
        answer: bytes = await self._call(
            request(
                "GET",
                "/v1/admin/files/content",
                query={"scope": scope, "subscription": subscription, "agent": agent, "path": path},
            )
        )
        return answer
