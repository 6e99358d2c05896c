"""Where a skill or a shared file is published, as pages name it: the space or a subscription, for all agents or one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tarimba.console.fields import Fields
from tarimba.console.page import Visit
from tarimba.identity.naming import Called, names_of, subscriptions_of
from tarimba.kernel import Kernel
from tarimba.skills import service as skills

# What a page shows of one text; the whole can be taken along.
SHOWN_MAX: Final = 24_000
_SPACE: Final = "tenant"


@dataclass(frozen=True, slots=True)
class Spot:
    """One of the four scopes: empty is the space, or all agents. By id or slug."""

    subscription: str = ""
    agent: str = ""

    @property
    def asked(self) -> skills.Asked:
        return skills.Asked("subscription" if self.subscription else _SPACE, self.subscription, self.agent)

    @property
    def query(self) -> dict[str, str]:
        return {"subscription": self.subscription, "agent": self.agent}


def spot_of(fields: Fields) -> Spot:
    return Spot(fields.line("subscription"), fields.line("agent"))


def within_of(fields: Fields) -> skills.Within:
    """What a filter says: `tenant` is the space alone, and what is empty may be any."""
    where = fields.line("subscription")
    if where == _SPACE:
        return skills.Within(_SPACE, "", fields.line("agent"))
    return skills.Within("", where, fields.line("agent"))


def named(kernel: Kernel, visit: Visit) -> dict[str, Any]:
    """What templates need to name a place: agents and subscriptions by id."""
    return {
        "names": names_of(kernel, visit.principal),
        "subscriptions": subscriptions_of(kernel, visit.principal),
    }


def may_publish(visit: Visit, subscriptions: Mapping[str, Called], place: skills.Place) -> bool:
    theirs = subscriptions.get(place.subscription_id)
    if place.subscription_id and theirs is None:
        return False
    return skills.may_publish(visit.principal, skills.Where(place, theirs.slug if theirs else ""))


def publishable(visit: Visit, subscriptions: Mapping[str, Called]) -> list[str]:
    """The scopes at which somebody publishes: the ids of subscriptions, empty for the space."""
    wanted = [skills.Place(_SPACE), *(skills.Place("subscription", one) for one in subscriptions)]
    return [one.subscription_id for one in wanted if may_publish(visit, subscriptions, one)]


def lines_of(difference: str | None) -> list[tuple[str, str]]:
    """The lines of a unified difference: `same`, `gone`, `new` or `part`. Of a long one as many as are shown."""
    kinds = {"-": "gone", "+": "new", "@": "part"}
    found: list[tuple[str, str]] = []
    size = 0
    for line in (difference or "").splitlines()[2:]:
        size += len(line) + 1
        if size > SHOWN_MAX:
            return [*found, ("part", "…")]
        kind = kinds.get(line[:1], "same")
        found.append((kind, line if kind == "part" else line[1:]))
    return found


def shown(text: str) -> tuple[str, bool]:
    """The part of a text that a page shows, and whether that is not all."""
    return text[:SHOWN_MAX], len(text) > SHOWN_MAX
