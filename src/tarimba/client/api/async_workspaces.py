"""Calls of `client.api.workspaces`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from tarimba.client.api.calls import UNSET, ACall, Unset, aevery, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.workspaces_shapes import (
        DetailView,
        ProjectNowView,
        WorkspacesViewsChangedView,
        WorkspacesViewsOwnListView,
        WorkspacesViewsOwnView,
        WorkspacesViewsWorkspacesView,
        WorkspaceView,
    )


class AsyncWorkspaces:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `workspaces` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def list(
        self,
        *,
        subscription: str | None = None,
        agent: str | None = None,
        member: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> WorkspacesViewsWorkspacesView:
        """List workspaces.

        `GET /v1/admin/workspaces`.
        """
        answer: WorkspacesViewsWorkspacesView = await self._call(
            request(
                "GET",
                "/v1/admin/workspaces",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "member": member,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def each(
        self,
        *,
        subscription: str | None = None,
        agent: str | None = None,
        member: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[WorkspaceView]:
        """Every entry of `list`, page by page."""
        return aevery(
            lambda cursor: self.list(
                subscription=subscription, agent=agent, member=member, limit=limit, cursor=cursor
            ),
            "items",
        )

    async def create(
        self, *, subscription: str, agent: str, member: str, idempotency_key: str | None = None
    ) -> WorkspacesViewsChangedView:
        """Make a member's workspace.

        `POST /v1/admin/workspaces`; receipt `workspace.change`.
        """
        answer: WorkspacesViewsChangedView = await self._call(
            request(
                "POST",
                "/v1/admin/workspaces",
                body={"subscription": subscription, "agent": agent, "member": member},
                once=idempotency_key,
            )
        )
        return answer

    async def get(self, workspace_id: str) -> DetailView:
        """Read what a workspace has.

        `GET /v1/admin/workspaces/{workspace_id}`; receipt `workspace.read`.
        """
        answer: DetailView = await self._call(request("GET", f"/v1/admin/workspaces/{placed(workspace_id)}"))
        return answer

    async def provision(
        self, workspace_id: str, *, idempotency_key: str | None = None
    ) -> WorkspacesViewsChangedView:
        """Provision a workspace before its container is started.

        `POST /v1/admin/workspaces/{workspace_id}/provision`; receipt `workspace.change`.
        """
        answer: WorkspacesViewsChangedView = await self._call(
            request("POST", f"/v1/admin/workspaces/{placed(workspace_id)}/provision", once=idempotency_key)
        )
        return answer

    async def add_project(
        self,
        workspace_id: str,
        *,
        project: str,
        name: str | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> ProjectNowView:
        """Make a project in a member's workspace.

        `POST /v1/admin/workspaces/{workspace_id}/projects`; receipt `workspace.change`.
        """
        answer: ProjectNowView = await self._call(
            request(
                "POST",
                f"/v1/admin/workspaces/{placed(workspace_id)}/projects",
                body={"project": project, "name": name},
                once=idempotency_key,
            )
        )
        return answer

    async def own(self, *, cursor: str | None = None, limit: int | None = None) -> WorkspacesViewsOwnListView:
        """List one's own workspaces.

        `GET /v1/workspaces`; receipt `workspace.read`.
        """
        answer: WorkspacesViewsOwnListView = await self._call(
            request("GET", "/v1/workspaces", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each_own(self, *, limit: int | None = None) -> AsyncIterator[WorkspacesViewsOwnView]:
        """Every entry of `own`, page by page."""
        return aevery(lambda cursor: self.own(limit=limit, cursor=cursor), "items")

    async def add_own_project(
        self,
        *,
        project: str,
        subscription: str,
        agent: str,
        name: str | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> ProjectNowView:
        """Make a project of one's own.

        `POST /v1/projects`; receipt `workspace.change`.
        """
        answer: ProjectNowView = await self._call(
            request(
                "POST",
                "/v1/projects",
                body={"project": project, "name": name, "subscription": subscription, "agent": agent},
                once=idempotency_key,
            )
        )
        return answer
