"""Calls of `client.api.personal_data`, awaited."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, ACall, Unset, aevery, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.personal_data_shapes import (
        CountsView,
        CustomerBody,
        EntriesView,
        EntryView,
        PersonalDataRequestsHandleBody,
        PersonalDataRoutesRemovedView,
        RemovedEntryView,
        TakenView,
    )


class AsyncPersonalData:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `personal_data` of `client.api`."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    async def vocabulary(self, *, cursor: str | None = None, limit: int | None = None) -> EntriesView:
        """List the vocabulary.

        `GET /v1/admin/vocabulary`.
        """
        answer: EntriesView = await self._call(
            request("GET", "/v1/admin/vocabulary", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each_vocabulary(self, *, limit: int | None = None) -> AsyncIterator[EntryView]:
        """Every entry of `vocabulary`, page by page."""
        return aevery(lambda cursor: self.vocabulary(limit=limit, cursor=cursor), "items")

    async def add_term(
        self,
        *,
        term: str,
        reason: Literal["system_name", "company", "common_word", "branch", "product", "role_mailbox"],
        confirmed: bool | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> EntryView:
        """Add a term.

        `POST /v1/admin/vocabulary`; receipt `vocabulary.change`.
        """
        answer: EntryView = await self._call(
            request(
                "POST",
                "/v1/admin/vocabulary",
                body={"term": term, "reason": reason, "confirmed": confirmed},
                once=idempotency_key,
            )
        )
        return answer

    async def remove_term(self, entry_id: str, *, idempotency_key: str | None = None) -> RemovedEntryView:
        """Remove a term.

        `DELETE /v1/admin/vocabulary/{entry_id}`; receipt `vocabulary.change`.
        """
        answer: RemovedEntryView = await self._call(
            request("DELETE", f"/v1/admin/vocabulary/{placed(entry_id)}", once=idempotency_key)
        )
        return answer

    async def customers(self) -> CountsView:
        """Count known customers.

        `GET /v1/admin/known-customers`.
        """
        answer: CountsView = await self._call(request("GET", "/v1/admin/known-customers"))
        return answer

    async def add_customers(
        self, *, items: Sequence[CustomerBody], idempotency_key: str | None = None
    ) -> TakenView:
        """Import known customers.

        `POST /v1/admin/known-customers`; receipt `import`.
        """
        answer: TakenView = await self._call(
            request("POST", "/v1/admin/known-customers", body={"items": items}, once=idempotency_key)
        )
        return answer

    async def remove_customer(
        self,
        *,
        name: str | Unset | None = UNSET,
        handles: Sequence[PersonalDataRequestsHandleBody] | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> PersonalDataRoutesRemovedView:
        """Remove values of known customers.

        `DELETE /v1/admin/known-customers`; receipt `known_customer.remove`.
        """
        answer: PersonalDataRoutesRemovedView = await self._call(
            request(
                "DELETE",
                "/v1/admin/known-customers",
                body={"name": name, "handles": handles},
                once=idempotency_key,
            )
        )
        return answer
