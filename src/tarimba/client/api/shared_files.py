"""Calls of `client.api.shared_files`."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import Call, every, request

if TYPE_CHECKING:
    from tarimba.client.api.shared_files_shapes import (
        SharedFilesView,
        SharedFileView,
        SharedNowView,
        UnsharedView,
    )


class SharedFiles:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `shared_files` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def list(
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
        answer: SharedFilesView = self._call(
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
    ) -> Iterator[SharedFileView]:
        """Every entry of `list`, page by page."""
        return every(
            lambda cursor: self.list(
                scope=scope, subscription=subscription, agent=agent, limit=limit, cursor=cursor
            ),
            "items",
        )

    def share(
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
        answer: SharedNowView = self._call(
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

    def remove(
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
        answer: UnsharedView = self._call(
            request(
                "DELETE",
                "/v1/admin/files",
                query={"scope": scope, "subscription": subscription, "agent": agent, "path": path},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    def content(
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
        answer: bytes = self._call(
            request(
                "GET",
                "/v1/admin/files/content",
                query={"scope": scope, "subscription": subscription, "agent": agent, "path": path},
            )
        )
        return answer
