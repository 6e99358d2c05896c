"""What is asked for, checked: new vendors, agents, keys, people and subscriptions, and changes of them. Pure.

Each `of` raises 422 naming the field; `where` goes before the field's name (`agent[0].` in a file, else nothing).
None in a change leaves the field as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from tarimba.harnesses.service import checked_harness
from tarimba.identity import fields

GENERIC_HARNESS = "generic"


@dataclass(frozen=True, slots=True)
class NewVendor:
    slug: str
    name: str

    @classmethod
    def of(cls, slug: str, name: str | None, where: str = "") -> Self:
        return cls(fields.checked_slug(f"{where}slug", slug), _name_or_slug(name, slug, where))


@dataclass(frozen=True, slots=True)
class AgentChange:
    name: str | None = None
    harness: str | None = None
    task_section: bool | None = None

    @classmethod
    def of(cls, name: str | None, harness: str | None, task_section: bool | None, where: str = "") -> Self:
        return cls(
            None if name is None else fields.checked_name(f"{where}name", name),
            None if harness is None else checked_harness(f"{where}harness", harness),
            task_section,
        )


@dataclass(frozen=True, slots=True)
class NewAgent:
    """`vendor` is the slug of a vendor of the space: an agent never changes it."""

    slug: str
    vendor: str
    name: str
    harness: str = GENERIC_HARNESS
    task_section: bool = False

    @classmethod
    def of(cls, slug: str, vendor: str, change: AgentChange, where: str = "") -> Self:
        return cls(
            fields.checked_slug(f"{where}slug", slug),
            fields.checked_slug(f"{where}vendor", vendor),
            change.name or slug,
            change.harness or GENERIC_HARNESS,
            bool(change.task_section),
        )


@dataclass(frozen=True, slots=True)
class NewKey:
    """`expires_at` in microseconds."""

    name: str
    scopes: tuple[str, ...]
    expires_at: int | None = None

    @classmethod
    def of_agent(
        cls, name: str, scopes: Sequence[str], expires_at: str | datetime | None, where: str = ""
    ) -> Self:
        checked = fields.checked_scopes(f"{where}scopes", scopes)
        return cls(fields.checked_name(f"{where}name", name), checked, _expiry(expires_at, where))

    @classmethod
    def of_space(
        cls, name: str, scopes: Sequence[str], expires_at: str | datetime | None, where: str = ""
    ) -> Self:
        checked = fields.checked_admin_scopes(f"{where}scopes", scopes)
        return cls(fields.checked_name(f"{where}name", name), checked, _expiry(expires_at, where))


@dataclass(frozen=True, slots=True)
class PersonChange:
    name: str | None = None
    email: str | None = None
    language: str | None = None
    roles: frozenset[str] | None = None
    disabled: bool | None = None

    @classmethod
    def of(
        cls,
        *,
        name: str | None = None,
        email: str | None = None,
        language: str | None = None,
        roles: Sequence[str] | None = None,
        disabled: bool | None = None,
        where: str = "",
    ) -> Self:
        languages = fields.LANGUAGES
        return cls(
            None if name is None else fields.checked_name(f"{where}name", name),
            None if email is None else fields.checked_email(f"{where}email", email),
            None if language is None else fields.checked_choice(f"{where}language", language, languages),
            None if roles is None else fields.checked_roles(f"{where}roles", roles),
            disabled,
        )


@dataclass(frozen=True, slots=True)
class NewPerson:
    """`language` None: that of the space."""

    slug: str
    email: str
    name: str
    language: str | None
    roles: frozenset[str]

    @classmethod
    def of(cls, slug: str, change: PersonChange, where: str = "") -> Self:
        assert change.email is not None
        checked = fields.checked_slug(f"{where}slug", slug)
        return cls(
            checked, change.email, change.name or checked, change.language, change.roles or frozenset()
        )


@dataclass(frozen=True, slots=True)
class NewSubscription:
    """`members` are slugs of people of the space."""

    slug: str
    name: str
    members: tuple[str, ...]

    @classmethod
    def of(cls, slug: str, name: str | None, members: Sequence[str], where: str = "") -> Self:
        checked = [fields.checked_slug(f"{where}members", member) for member in members]
        return cls(
            fields.checked_slug(f"{where}slug", slug),
            _name_or_slug(name, slug, where),
            tuple(dict.fromkeys(checked)),
        )


def _name_or_slug(name: str | None, slug: str, where: str) -> str:
    return slug if name is None else fields.checked_name(f"{where}name", name)


def _expiry(value: str | datetime | None, where: str) -> int | None:
    return fields.checked_moment(f"{where}expires_at", value)
