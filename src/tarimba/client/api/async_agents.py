"""Calls of `client.api.agents`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, ACall, Unset, aevery, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.agents_shapes import (
        AgentsView,
        AgentView,
        KeysView,
        KeyView,
        PersonaView,
        VendorsView,
        VendorView,
    )


class AsyncAgents:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `agents` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def list(self, *, cursor: str | None = None, limit: int | None = None) -> AgentsView:
        """List agents.

        `GET /v1/admin/agents`.
        """
        answer: AgentsView = await self._call(
            request("GET", "/v1/admin/agents", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each(self, *, limit: int | None = None) -> AsyncIterator[AgentView]:
        """Every entry of `list`, page by page."""
        return aevery(lambda cursor: self.list(limit=limit, cursor=cursor), "items")

    async def create(
        self,
        *,
        slug: str,
        vendor: str,
        name: str | Unset | None = UNSET,
        harness: Literal["claude-code", "codex", "ganglion", "generic", "nanobot", "openclaw", "picoclaw"]
        | Unset
        | None = UNSET,
        task_section: bool | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> AgentView:
        """Add an agent.

        `POST /v1/admin/agents`; receipt `agent.change`.
        """
        answer: AgentView = await self._call(
            request(
                "POST",
                "/v1/admin/agents",
                body={
                    "slug": slug,
                    "vendor": vendor,
                    "name": name,
                    "harness": harness,
                    "task_section": task_section,
                },
                once=idempotency_key,
            )
        )
        return answer

    async def edit(
        self,
        source_id: str,
        *,
        name: str | Unset | None = UNSET,
        harness: Literal["claude-code", "codex", "ganglion", "generic", "nanobot", "openclaw", "picoclaw"]
        | Unset
        | None = UNSET,
        task_section: bool | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> AgentView:
        """Change an agent.

        `PATCH /v1/admin/agents/{source_id}`; receipt `agent.change`.
        """
        answer: AgentView = await self._call(
            request(
                "PATCH",
                f"/v1/admin/agents/{placed(source_id)}",
                body={"name": name, "harness": harness, "task_section": task_section},
                once=idempotency_key,
            )
        )
        return answer

    async def keys(self, source_id: str, *, cursor: str | None = None, limit: int | None = None) -> KeysView:
        """List an agent's keys.

        `GET /v1/admin/agents/{source_id}/keys`.
        """
        answer: KeysView = await self._call(
            request(
                "GET", f"/v1/admin/agents/{placed(source_id)}/keys", query={"cursor": cursor, "limit": limit}
            )
        )
        return answer

    def each_keys(self, source_id: str, *, limit: int | None = None) -> AsyncIterator[KeyView]:
        """Every entry of `keys`, page by page."""
        return aevery(lambda cursor: self.keys(source_id, limit=limit, cursor=cursor), "items")

    async def create_key(
        self,
        source_id: str,
        *,
        name: str,
        scopes: Sequence[Literal["agent_memory", "agent_memory:write", "context", "track"]],
        expires_at: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> KeyView:
        """Make an agent's key.

        `POST /v1/admin/agents/{source_id}/keys`; receipt `key.create`.
        """
        answer: KeyView = await self._call(
            request(
                "POST",
                f"/v1/admin/agents/{placed(source_id)}/keys",
                body={"name": name, "scopes": scopes, "expires_at": expires_at},
                once=idempotency_key,
            )
        )
        return answer

    async def persona(self, source_id: str) -> PersonaView:
        """Read an agent's persona.

        `GET /v1/admin/agents/{source_id}/persona`; receipt `workspace.read`.
        """
        answer: PersonaView = await self._call(
            request("GET", f"/v1/admin/agents/{placed(source_id)}/persona")
        )
        return answer

    async def write_persona(
        self,
        source_id: str,
        *,
        documents: Mapping[str, str],
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> PersonaView:
        """Write an agent's persona.

        `PUT /v1/admin/agents/{source_id}/persona`; receipt `workspace.change`.
        """
        answer: PersonaView = await self._call(
            request(
                "PUT",
                f"/v1/admin/agents/{placed(source_id)}/persona",
                body={"documents": documents},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def vendors(self, *, cursor: str | None = None, limit: int | None = None) -> VendorsView:
        """List vendors.

        `GET /v1/admin/vendors`.
        """
        answer: VendorsView = await self._call(
            request("GET", "/v1/admin/vendors", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each_vendors(self, *, limit: int | None = None) -> AsyncIterator[VendorView]:
        """Every entry of `vendors`, page by page."""
        return aevery(lambda cursor: self.vendors(limit=limit, cursor=cursor), "items")

    async def create_vendor(
        self, *, slug: str, name: str | Unset | None = UNSET, idempotency_key: str | None = None
    ) -> VendorView:
        """Add a vendor.

        `POST /v1/admin/vendors`; receipt `agent.change`.
        """
        answer: VendorView = await self._call(
            request("POST", "/v1/admin/vendors", body={"slug": slug, "name": name}, once=idempotency_key)
        )
        return answer
