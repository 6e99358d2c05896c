"""Choosing among many: what a form offers while somebody types, and what a short name stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tarimba.console.fields import Fields
from tarimba.console.page import Html, Page, Shown, Visit
from tarimba.errors import invalid
from tarimba.identity import naming
from tarimba.identity.model import Principal
from tarimba.identity.naming import Called
from tarimba.kernel import Kernel

_OFFERED: Final = 20
_TEXT_MAX: Final = 200
_Search = Callable[[Kernel, Principal, str, int], list[Called]]
_KINDS: Final[Mapping[str, _Search]] = MappingProxyType(
    {"agent": naming.agents_like, "actor": naming.people_like, "subscription": naming.subscriptions_like}
)


def agent_of(kernel: Kernel, visit: Visit, fields: Fields) -> str:
    """The id of the agent that a form names by its id or its short name; empty where it names none. Raises 422."""
    said = fields.line("agent")
    if not said:
        return ""
    found = naming.agent_called(kernel, visit.principal, said)
    if found is None:
        raise invalid("agent", "must be one of those that the form offers")
    return found


def actor_of(kernel: Kernel, visit: Visit) -> str:
    """Who did something, by the id that a receipt has, or by the short name of a person."""
    said = visit.query.line("actor")
    return naming.person_called(kernel, visit.principal, said) or said


def _offer(kernel: Kernel, visit: Visit) -> Shown:
    kind = visit.query.choice("of", _KINDS, "agent")
    text = visit.query.line(kind)[:_TEXT_MAX]
    return Html("offered.html", {"offered": _KINDS[kind](kernel, visit.principal, text, _OFFERED)})


PAGES: Final = (Page("GET", "/choose", _offer, ("read_notes", "look_at_skills", "read_workspaces")),)
