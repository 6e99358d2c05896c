"""Calls of `client.api.people`."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from tarimba.client.api.calls import UNSET, Call, Unset, every, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.people_shapes import (
        ErasedMemberAnswer,
        MembershipView,
        PeopleView,
        PersonView,
        SubscriptionsView,
        SubscriptionView,
    )


class People:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `people` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def list(self, *, cursor: str | None = None, limit: int | None = None) -> PeopleView:
        """List people.

        `GET /v1/admin/people`.
        """
        answer: PeopleView = self._call(
            request("GET", "/v1/admin/people", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each(self, *, limit: int | None = None) -> Iterator[PersonView]:
        """Every entry of `list`, page by page."""
        return every(lambda cursor: self.list(limit=limit, cursor=cursor), "items")

    def create(
        self,
        *,
        slug: str,
        email: str,
        name: str | Unset | None = UNSET,
        language: Literal["pt", "en", "es"] | Unset | None = UNSET,
        roles: Sequence[str] | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> PersonView:
        """Add a person.

        `POST /v1/admin/people`; receipt `person.change`.
        """
        answer: PersonView = self._call(
            request(
                "POST",
                "/v1/admin/people",
                body={"slug": slug, "email": email, "name": name, "language": language, "roles": roles},
                once=idempotency_key,
            )
        )
        return answer

    def edit(
        self,
        person_id: str,
        *,
        email: str | Unset | None = UNSET,
        name: str | Unset | None = UNSET,
        language: Literal["pt", "en", "es"] | Unset | None = UNSET,
        roles: Sequence[str] | Unset | None = UNSET,
        disabled: bool | Unset | None = UNSET,
        idempotency_key: str | None = None,
    ) -> PersonView:
        """Change a person.

        `PATCH /v1/admin/people/{person_id}`; receipt `person.change`.
        """
        answer: PersonView = self._call(
            request(
                "PATCH",
                f"/v1/admin/people/{placed(person_id)}",
                body={
                    "email": email,
                    "name": name,
                    "language": language,
                    "roles": roles,
                    "disabled": disabled,
                },
                once=idempotency_key,
            )
        )
        return answer

    def export(self, person_id: str) -> bytes:
        """Take along all that a member keeps, as a zip archive.

        `GET /v1/members/{person_id}/data`; receipt `export`.
        """
        answer: bytes = self._call(request("GET", f"/v1/members/{placed(person_id)}/data"))
        return answer

    def erase(self, person_id: str, *, idempotency_key: str | None = None) -> ErasedMemberAnswer:
        """Erase all that a member keeps.

        `DELETE /v1/members/{person_id}/data`; receipt `erase.requested`.
        """
        answer: ErasedMemberAnswer = self._call(
            request("DELETE", f"/v1/members/{placed(person_id)}/data", once=idempotency_key)
        )
        return answer

    def subscriptions(self, *, cursor: str | None = None, limit: int | None = None) -> SubscriptionsView:
        """List subscriptions.

        `GET /v1/admin/subscriptions`.
        """
        answer: SubscriptionsView = self._call(
            request("GET", "/v1/admin/subscriptions", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def each_subscriptions(self, *, limit: int | None = None) -> Iterator[SubscriptionView]:
        """Every entry of `subscriptions`, page by page."""
        return every(lambda cursor: self.subscriptions(limit=limit, cursor=cursor), "items")

    def create_subscription(
        self,
        *,
        slug: str,
        name: str | Unset | None = UNSET,
        members: Sequence[str] | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> SubscriptionView:
        """Add a subscription.

        `POST /v1/admin/subscriptions`; receipt `person.change`.
        """
        answer: SubscriptionView = self._call(
            request(
                "POST",
                "/v1/admin/subscriptions",
                body={"slug": slug, "name": name, "members": members},
                once=idempotency_key,
            )
        )
        return answer

    def seat(
        self, subscription_id: str, person_id: str, *, idempotency_key: str | None = None
    ) -> SubscriptionView:
        """Make a person a member.

        `PUT /v1/admin/subscriptions/{subscription_id}/members/{person_id}`; receipt `person.change`.
        """
        answer: SubscriptionView = self._call(
            request(
                "PUT",
                f"/v1/admin/subscriptions/{placed(subscription_id)}/members/{placed(person_id)}",
                once=idempotency_key,
            )
        )
        return answer

    def unseat(
        self, subscription_id: str, person_id: str, *, idempotency_key: str | None = None
    ) -> SubscriptionView:
        """Take a membership away.

        `DELETE /v1/admin/subscriptions/{subscription_id}/members/{person_id}`; receipt `person.change`.
        """
        answer: SubscriptionView = self._call(
            request(
                "DELETE",
                f"/v1/admin/subscriptions/{placed(subscription_id)}/members/{placed(person_id)}",
                once=idempotency_key,
            )
        )
        return answer

    def revoke_tokens(
        self, subscription_id: str, person_id: str, *, idempotency_key: str | None = None
    ) -> MembershipView:
        """End the tokens of a member's workspaces.

        `POST /v1/admin/subscriptions/{subscription_id}/members/{person_id}/revoke-tokens`; receipt `workspace.change`.
        """
        answer: MembershipView = self._call(
            request(
                "POST",
                f"/v1/admin/subscriptions/{placed(subscription_id)}/members/{placed(person_id)}/revoke-tokens",
                once=idempotency_key,
            )
        )
        return answer
