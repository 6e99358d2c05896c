"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import NotRequired, TypedDict


class PersonView(TypedDict):
    person_id: str
    slug: str
    email: str
    name: str
    language: str
    roles: list[str]
    disabled: bool
    created_at: str


class PeopleView(TypedDict):
    items: list[PersonView]
    next_cursor: NotRequired[str]


class ErasedMemberAnswer(TypedDict):
    person_id: str
    complete: bool
    receipt_id: str


class SubscriptionView(TypedDict):
    subscription_id: str
    slug: str
    name: str
    members: list[str]
    created_at: str


class SubscriptionsView(TypedDict):
    items: list[SubscriptionView]
    next_cursor: NotRequired[str]


class MembershipView(TypedDict):
    subscription_id: str
    person_id: str
