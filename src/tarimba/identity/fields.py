"""What the fields of people, agents and keys must look like. Pure.

Each function returns the value as it is stored and raises 422 naming the field and its rule, never the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from tarimba.clock import from_datetime
from tarimba.errors import Refusal, invalid
from tarimba.identity.model import ROLES, SCOPES
from tarimba.text import GateError, clean

LANGUAGES = ("pt", "en", "es")
ENVIRONMENTS = ("live", "test")
ADMIN_SCOPE = "admin"
NAME_MAX = 200
EMAIL_MAX = 254
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]+")
_MANAGER_OF = "manager@"
# What `fromisoformat` takes besides (weeks, days without a time) is no RFC 3339.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)")


def checked_slug(field: str, value: str) -> str:
    """The short name of something: lower-case letters, digits and hyphens."""
    if not _SLUG.fullmatch(value):
        raise invalid(field, "must be 1 to 63 of a-z, 0-9 and -, not beginning with -")
    return value


def checked_name(field: str, value: Any) -> str:
    """A name for people to read: one line of 1 to 200 characters."""
    return _line(field, value, NAME_MAX)


def checked_email(field: str, value: str) -> str:
    """An e-mail address, folded to lower case: one mailbox is one person."""
    address = _line(field, value, EMAIL_MAX).lower()
    if not _EMAIL.fullmatch(address):
        raise invalid(field, "must be an e-mail address")
    return address


def checked_choice(field: str, value: str, choices: Sequence[str]) -> str:
    """One of a few words."""
    if value not in choices:
        raise invalid(field, f"must be one of {', '.join(choices)}")
    return value


def checked_scopes(field: str, values: Sequence[str]) -> tuple[str, ...]:
    """The scopes of an agent's key, in the order of `SCOPES`; at least one."""
    if not values or not set(values) <= set(SCOPES):
        raise invalid(field, f"must name one or more of {', '.join(SCOPES)}")
    return tuple(scope for scope in SCOPES if scope in values)


def checked_admin_scopes(field: str, values: Sequence[str]) -> tuple[str, ...]:
    """The scopes of a key of the space: `admin` and nothing else."""
    if list(values) != [ADMIN_SCOPE]:
        raise invalid(field, 'must be exactly ["admin"]: a key of the space has no other scope')
    return (ADMIN_SCOPE,)


def checked_roles(field: str, values: Iterable[str]) -> frozenset[str]:
    """Roles: one of `ROLES`, or `manager@<slug of a subscription>`."""
    for value in values:
        if value not in ROLES and managed_subscription(value) is None:
            raise invalid(field, f"must hold only {', '.join(ROLES)} or manager@<subscription>")
    return frozenset(values)


def managed_subscription(role: str) -> str | None:
    """The subscription's slug in `manager@<slug>`; None for every other role."""
    slug = role.removeprefix(_MANAGER_OF)
    return slug if slug != role and _SLUG.fullmatch(slug) else None


def sorted_roles(roles: Iterable[str]) -> list[str]:
    """Roles in the order in which documents name them, those of subscriptions last."""
    return sorted(roles, key=lambda role: (ROLES.index(role) if role in ROLES else len(ROLES), role))


def checked_moment(field: str, value: str | datetime | None) -> int | None:
    """Microseconds of an RFC 3339 moment with time zone; None stays None."""
    if value is None:
        return None
    try:
        return from_datetime(_read_moment(value) if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        raise invalid(field, "must be a moment with time zone (RFC 3339)") from None


def _read_moment(written: str) -> datetime:
    if not _MOMENT.fullmatch(written):
        raise ValueError("not an RFC 3339 moment with time zone")
    return datetime.fromisoformat(written.upper())


def _line(field: str, value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise invalid(field, "must be text")
    try:
        return clean(value, field=field, max_length=longest, one_line=True)
    except GateError as error:
        raise Refusal("invalid_input", error.sentence) from None
