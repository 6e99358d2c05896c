"""Calls of `client.api.keys`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, ACall, Unset, aevery, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.agents_shapes import KeysView, KeyView


class AsyncKeys:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `keys` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def list(self, *, cursor: str | None = None, limit: int | None = None) -> KeysView:
        """List all keys.

        `GET /v1/admin/keys`.
        """
        answer: KeysView = await self._call(
            request("GET", "/v1/admin/keys", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each(self, *, limit: int | None = None) -> AsyncIterator[KeyView]:
        """Every entry of `list`, page by page."""
        return aevery(lambda cursor: self.list(limit=limit, cursor=cursor), "items")

    async def create(
        self,
        *,
        name: str,
        scopes: Sequence[Literal["admin"]],
        expires_at: str | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> KeyView:
        """Make a key of the space.

        `POST /v1/admin/keys`; receipt `key.create`.
        """
        answer: KeyView = await self._call(
            request(
                "POST",
                "/v1/admin/keys",
                body={"name": name, "scopes": scopes, "expires_at": expires_at},
                once=idempotency_key,
            )
        )
        return answer

    async def revoke(self, key_id: str, *, idempotency_key: str | None = None) -> KeyView:
        """Revoke a key.

        `POST /v1/admin/keys/{key_id}/revoke`; receipt `key.revoke`.
        """
        answer: KeyView = await self._call(
            request("POST", f"/v1/admin/keys/{placed(key_id)}/revoke", once=idempotency_key)
        )
        return answer
