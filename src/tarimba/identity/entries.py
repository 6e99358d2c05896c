"""What an administrator sees of a space: its vendors, agents, keys, people and subscriptions. Frozen values.

Times are microseconds. `ordinal` is the place in lists, which runs from the oldest.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Space:
    space_id: str
    space_no: int
    slug: str
    name: str
    language: str
    environment: str
    created_at: int


@dataclass(frozen=True, slots=True)
class Vendor:
    vendor_id: str
    slug: str
    name: str
    created_at: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Agent:
    """`vendor` is the vendor's slug."""

    source_id: str
    slug: str
    name: str
    vendor_id: str
    vendor: str
    harness: str
    task_section: bool
    created_at: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Key:
    """A key without its secret. `source_id` is None for a key of the space."""

    key_id: str
    source_id: str | None
    name: str
    scopes: tuple[str, ...]
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None
    ordinal: int


@dataclass(frozen=True, slots=True)
class Person:
    person_id: str
    slug: str
    email: str
    name: str
    language: str
    roles: frozenset[str]
    disabled_at: int | None
    created_at: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Subscription:
    """`members` are slugs of people, sorted."""

    subscription_id: str
    slug: str
    name: str
    members: tuple[str, ...]
    created_at: int
    ordinal: int
