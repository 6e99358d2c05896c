"""Calls of `client.api.graph`."""
# Made by scripts/generate_client.py from the routes: change them, or it.
# ruff: noqa: A002

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import Call, every, request

if TYPE_CHECKING:
    from tarimba.client.api.graph_shapes import (
        ChangesView,
        ChangeView,
        EntitiesView,
        ExportView,
        GraphRequestsFoundView,
        ImportedView,
        LearnedInView,
        NeighbourhoodView,
        OpenedView,
        SightView,
    )


class Graph:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `graph` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def list(
        self,
        *,
        subscription: str,
        agent: str,
        type: str | None = None,
        status: Literal["active", "archived", "merged"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> EntitiesView:
        """List the entities of one's own graph.

        `GET /v1/memory-graph/entities`; receipt `graph.read`.
        """
        answer: EntitiesView = self._call(
            request(
                "GET",
                "/v1/memory-graph/entities",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "type": type,
                    "status": status,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def open(
        self, *, subscription: str, agent: str, name: str, cursor: str | None = None, limit: int | None = None
    ) -> OpenedView:
        """Open an entity with everything and its sources.

        `GET /v1/memory-graph/entity`; receipt `graph.read`.
        """
        answer: OpenedView = self._call(
            request(
                "GET",
                "/v1/memory-graph/entity",
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

    def neighbourhood(
        self, *, subscription: str, agent: str, name: str, hops: int | None = None, limit: int | None = None
    ) -> NeighbourhoodView:
        """See what is around an entity.

        `GET /v1/memory-graph/neighbourhood`; receipt `graph.read`.
        """
        answer: NeighbourhoodView = self._call(
            request(
                "GET",
                "/v1/memory-graph/neighbourhood",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "name": name,
                    "hops": hops,
                    "limit": limit,
                },
            )
        )
        return answer

    def search(
        self,
        *,
        subscription: str,
        agent: str,
        query: str,
        by: Literal["words", "meaning"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> GraphRequestsFoundView:
        """Search one's own graph.

        `GET /v1/memory-graph/search`; receipt `graph.read`.
        """
        answer: GraphRequestsFoundView = self._call(
            request(
                "GET",
                "/v1/memory-graph/search",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "query": query,
                    "by": by,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def recent(
        self, *, subscription: str, agent: str, hours: int | None = None, cursor: str | None = None
    ) -> SightView:
        """See what changed lately.

        `GET /v1/memory-graph/recent`; receipt `graph.read`.
        """
        answer: SightView = self._call(
            request(
                "GET",
                "/v1/memory-graph/recent",
                query={"subscription": subscription, "agent": agent, "hours": hours, "cursor": cursor},
            )
        )
        return answer

    def learned(
        self,
        *,
        subscription: str,
        agent: str,
        conversation_id: str,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> LearnedInView:
        """See all that was learned in one conversation.

        `GET /v1/memory-graph/conversation`; receipt `graph.read`.
        """
        answer: LearnedInView = self._call(
            request(
                "GET",
                "/v1/memory-graph/conversation",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "conversation_id": conversation_id,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def changes(
        self, *, subscription: str, agent: str, cursor: str | None = None, limit: int | None = None
    ) -> ChangesView:
        """List the changes of one's own graph.

        `GET /v1/memory-graph/changes`; receipt `graph.read`.
        """
        answer: ChangesView = self._call(
            request(
                "GET",
                "/v1/memory-graph/changes",
                query={"subscription": subscription, "agent": agent, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def each_changes(
        self, *, subscription: str, agent: str, limit: int | None = None
    ) -> Iterator[ChangeView]:
        """Every entry of `changes`, page by page."""
        return every(
            lambda cursor: self.changes(subscription=subscription, agent=agent, limit=limit, cursor=cursor),
            "items",
        )

    def export(
        self, *, subscription: str, agent: str, format: Literal["jsonl", "better", "json"] | None = None
    ) -> ExportView | bytes:
        """Export one's own graph as a file.

        `GET /v1/memory-graph/export`; receipt `graph.read`.
        """
        answer: ExportView | bytes = self._call(
            request(
                "GET",
                "/v1/memory-graph/export",
                query={"subscription": subscription, "agent": agent, "format": format},
            )
        )
        return answer

    def import_(
        self, *, content: bytes, subscription: str, agent: str, idempotency_key: str | None = None
    ) -> ImportedView:
        """Take a file into one's own graph.

        `POST /v1/memory-graph/import`; receipt `graph.write`.
        """
        answer: ImportedView = self._call(
            request(
                "POST",
                "/v1/memory-graph/import",
                query={"subscription": subscription, "agent": agent},
                content=content,
                media="application/x-ndjson",
                once=idempotency_key,
            )
        )
        return answer
