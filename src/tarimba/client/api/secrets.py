"""Calls of `client.api.secrets`."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tarimba.client.api.calls import Call, every, request

if TYPE_CHECKING:
    from tarimba.client.api.secrets_shapes import (
        GivenListView,
        GivenView,
        WorkspacesSecretRequestsChangedView,
        WorkspacesSecretRequestsOwnListView,
        WorkspacesSecretRequestsRemovedView,
    )


class Secrets:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `secrets` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def given(
        self,
        *,
        subscription: str | None = None,
        agent: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> GivenListView:
        """List the names of secrets that are given to agents.

        `GET /v1/admin/secrets`.
        """
        answer: GivenListView = self._call(
            request(
                "GET",
                "/v1/admin/secrets",
                query={"subscription": subscription, "agent": agent, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def each_given(
        self, *, subscription: str | None = None, agent: str | None = None, limit: int | None = None
    ) -> Iterator[GivenView]:
        """Every entry of `given`, page by page."""
        return every(
            lambda cursor: self.given(subscription=subscription, agent=agent, limit=limit, cursor=cursor),
            "items",
        )

    def give(
        self,
        *,
        name: str,
        value: str,
        subscription: str | None = None,
        agent: str | None = None,
        idempotency_key: str | None = None,
    ) -> WorkspacesSecretRequestsChangedView:
        """Give agents a secret.

        `PUT /v1/admin/secrets`; receipt `secret.change`.
        """
        answer: WorkspacesSecretRequestsChangedView = self._call(
            request(
                "PUT",
                "/v1/admin/secrets",
                query={"name": name, "subscription": subscription, "agent": agent},
                body={"value": value},
                once=idempotency_key,
            )
        )
        return answer

    def take_back(
        self,
        *,
        name: str,
        subscription: str | None = None,
        agent: str | None = None,
        idempotency_key: str | None = None,
    ) -> WorkspacesSecretRequestsRemovedView:
        """Take a secret from agents.

        `DELETE /v1/admin/secrets`; receipt `secret.change`.
        """
        answer: WorkspacesSecretRequestsRemovedView = self._call(
            request(
                "DELETE",
                "/v1/admin/secrets",
                query={"name": name, "subscription": subscription, "agent": agent},
                once=idempotency_key,
            )
        )
        return answer

    def list(self, *, subscription: str, agent: str) -> WorkspacesSecretRequestsOwnListView:
        """List the names of the secrets that one's agent gets.

        `GET /v1/secrets`; receipt `workspace.read`.
        """
        answer: WorkspacesSecretRequestsOwnListView = self._call(
            request("GET", "/v1/secrets", query={"subscription": subscription, "agent": agent})
        )
        return answer

    def put(
        self, *, subscription: str, agent: str, name: str, value: str, idempotency_key: str | None = None
    ) -> WorkspacesSecretRequestsChangedView:
        """Give one's agent a secret of one's own.

        `PUT /v1/secrets`; receipt `secret.change`.
        """
        answer: WorkspacesSecretRequestsChangedView = self._call(
            request(
                "PUT",
                "/v1/secrets",
                query={"subscription": subscription, "agent": agent, "name": name},
                body={"value": value},
                once=idempotency_key,
            )
        )
        return answer

    def delete(
        self, *, subscription: str, agent: str, name: str, idempotency_key: str | None = None
    ) -> WorkspacesSecretRequestsRemovedView:
        """Take a secret of one's own from one's agent.

        `DELETE /v1/secrets`; receipt `secret.change`.
        """
        answer: WorkspacesSecretRequestsRemovedView = self._call(
            request(
                "DELETE",
                "/v1/secrets",
                query={"subscription": subscription, "agent": agent, "name": name},
                once=idempotency_key,
            )
        )
        return answer
