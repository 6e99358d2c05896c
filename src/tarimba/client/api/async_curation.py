"""Calls of `client.api.curation`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.
# ruff: noqa: A002

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tarimba.client.api.calls import UNSET, ACall, Unset, request

if TYPE_CHECKING:
    from tarimba.client.api.curation_shapes import (
        GraphRequestsChangedView,
        MadeView,
        ObservationBody,
        RelatedView,
        UndoneView,
    )


class AsyncCuration:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `curation` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def create(
        self,
        *,
        subscription: str,
        agent: str,
        name: str,
        entity_type: str,
        observations: Sequence[ObservationBody] | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> MadeView:
        """Make an entity.

        `POST /v1/memory-graph/entities`; receipt `graph.write`.
        """
        answer: MadeView = await self._call(
            request(
                "POST",
                "/v1/memory-graph/entities",
                query={"subscription": subscription, "agent": agent},
                body={"name": name, "entity_type": entity_type, "observations": observations},
                once=idempotency_key,
            )
        )
        return answer

    async def edit(
        self,
        *,
        subscription: str,
        agent: str,
        name: str,
        entity_type: str | Unset | None = UNSET,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> GraphRequestsChangedView:
        """Give an entity another name or type.

        `PATCH /v1/memory-graph/entity`; receipt `graph.write`.
        """
        answer: GraphRequestsChangedView = await self._call(
            request(
                "PATCH",
                "/v1/memory-graph/entity",
                query={"subscription": subscription, "agent": agent, "name": name},
                body={"entity_type": entity_type},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def delete(
        self, *, subscription: str, agent: str, name: str, idempotency_key: str | None = None
    ) -> GraphRequestsChangedView:
        """Delete an entity and its relations.

        `DELETE /v1/memory-graph/entity`; receipt `graph.write`.
        """
        answer: GraphRequestsChangedView = await self._call(
            request(
                "DELETE",
                "/v1/memory-graph/entity",
                query={"subscription": subscription, "agent": agent, "name": name},
                once=idempotency_key,
            )
        )
        return answer

    async def observe(
        self,
        *,
        subscription: str,
        agent: str,
        name: str,
        observations: Sequence[ObservationBody],
        idempotency_key: str | None = None,
    ) -> GraphRequestsChangedView:
        """Add observations to an entity.

        `POST /v1/memory-graph/observations`; receipt `graph.write`.
        """
        answer: GraphRequestsChangedView = await self._call(
            request(
                "POST",
                "/v1/memory-graph/observations",
                query={"subscription": subscription, "agent": agent},
                body={"name": name, "observations": observations},
                once=idempotency_key,
            )
        )
        return answer

    async def reword(
        self,
        *,
        subscription: str,
        agent: str,
        name: str,
        id: str,
        text: str,
        confidence: float | Unset | None = UNSET,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> GraphRequestsChangedView:
        """Change the words of an observation.

        `PATCH /v1/memory-graph/observation`; receipt `graph.write`.
        """
        answer: GraphRequestsChangedView = await self._call(
            request(
                "PATCH",
                "/v1/memory-graph/observation",
                query={"subscription": subscription, "agent": agent, "name": name, "id": id},
                body={"text": text, "confidence": confidence},
                once=idempotency_key,
                if_match=if_match,
            )
        )
        return answer

    async def unobserve(
        self, *, subscription: str, agent: str, name: str, id: str, idempotency_key: str | None = None
    ) -> GraphRequestsChangedView:
        """Delete an observation.

        `DELETE /v1/memory-graph/observation`; receipt `graph.write`.
        """
        answer: GraphRequestsChangedView = await self._call(
            request(
                "DELETE",
                "/v1/memory-graph/observation",
                query={"subscription": subscription, "agent": agent, "name": name, "id": id},
                once=idempotency_key,
            )
        )
        return answer

    async def relate(
        self,
        *,
        subscription: str,
        agent: str,
        from_: str,
        to: str,
        relation_type: str,
        idempotency_key: str | None = None,
    ) -> RelatedView:
        """Relate two entities.

        `POST /v1/memory-graph/relations`; receipt `graph.write`.
        """
        answer: RelatedView = await self._call(
            request(
                "POST",
                "/v1/memory-graph/relations",
                query={"subscription": subscription, "agent": agent},
                body={"from": from_, "to": to, "relation_type": relation_type},
                once=idempotency_key,
            )
        )
        return answer

    async def unrelate(
        self,
        *,
        subscription: str,
        agent: str,
        from_: str,
        to: str,
        relation_type: str,
        idempotency_key: str | None = None,
    ) -> GraphRequestsChangedView:
        """Delete a relation.

        `DELETE /v1/memory-graph/relations`; receipt `graph.write`.
        """
        answer: GraphRequestsChangedView = await self._call(
            request(
                "DELETE",
                "/v1/memory-graph/relations",
                query={
                    "subscription": subscription,
                    "agent": agent,
                    "from": from_,
                    "to": to,
                    "relation_type": relation_type,
                },
                once=idempotency_key,
            )
        )
        return answer

    async def merge(
        self, *, subscription: str, agent: str, source: str, target: str, idempotency_key: str | None = None
    ) -> GraphRequestsChangedView:
        """Merge an entity into another.

        `POST /v1/memory-graph/merge`; receipt `graph.write`.
        """
        answer: GraphRequestsChangedView = await self._call(
            request(
                "POST",
                "/v1/memory-graph/merge",
                query={"subscription": subscription, "agent": agent},
                body={"source": source, "target": target},
                once=idempotency_key,
            )
        )
        return answer

    async def archive(
        self, *, subscription: str, agent: str, name: str, idempotency_key: str | None = None
    ) -> GraphRequestsChangedView:
        """Put an entity away.

        `POST /v1/memory-graph/archive`; receipt `graph.write`.
        """
        answer: GraphRequestsChangedView = await self._call(
            request(
                "POST",
                "/v1/memory-graph/archive",
                query={"subscription": subscription, "agent": agent},
                body={"name": name},
                once=idempotency_key,
            )
        )
        return answer

    async def unarchive(
        self, *, subscription: str, agent: str, name: str, idempotency_key: str | None = None
    ) -> GraphRequestsChangedView:
        """Put an entity back.

        `POST /v1/memory-graph/unarchive`; receipt `graph.write`.
        """
        answer: GraphRequestsChangedView = await self._call(
            request(
                "POST",
                "/v1/memory-graph/unarchive",
                query={"subscription": subscription, "agent": agent},
                body={"name": name},
                once=idempotency_key,
            )
        )
        return answer

    async def undo(
        self, *, subscription: str, agent: str, change_id: str, idempotency_key: str | None = None
    ) -> UndoneView:
        """Undo a change of the last thirty days.

        `POST /v1/memory-graph/undo`; receipt `graph.write`.
        """
        answer: UndoneView = await self._call(
            request(
                "POST",
                "/v1/memory-graph/undo",
                query={"subscription": subscription, "agent": agent},
                body={"change_id": change_id},
                once=idempotency_key,
            )
        )
        return answer
