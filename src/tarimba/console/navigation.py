"""The places of the Console in the order in which they are offered, and to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tarimba.identity.model import Principal
from tarimba.identity.rules import may


@dataclass(frozen=True, slots=True)
class Place:
    """`name` is the key of its word (`nav.<name>`), `act` what it asks for: one of these is enough."""

    name: str
    path: str
    acts: tuple[str, ...]


_GROUPS: Final = (
    (
        "decide",
        (
            Place("overview", "/overview", ("read_notes",)),
            Place("inbox", "/inbox", ("read_proposals", "evolution")),
            Place("notes", "/notes", ("read_notes",)),
            Place("preview", "/preview", ("read_notes",)),
        ),
    ),
    (
        "work",
        (
            Place("skills", "/skills", ("look_at_skills",)),
            Place("workspaces", "/workspaces", ("read_workspaces",)),
            Place("fleet", "/agents", ("fleet",)),
        ),
    ),
    (
        "mine",
        (
            Place("memory", "/memory", ("own_memory",)),
            Place("graph", "/graph", ("own_memory",)),
            Place("my_skills", "/my-skills", ("member_skills",)),
            Place("files", "/files", ("own_memory",)),
        ),
    ),
    (
        "answer",
        (
            Place("receipts", "/receipts", ("receipts",)),
            Place("webhooks", "/webhooks", ("webhooks",)),
            Place("people", "/people", ("people",)),
            Place("settings", "/settings", ("settings", "vocabulary", "jobs")),
        ),
    ),
)


def groups(principal: Principal) -> tuple[tuple[str, tuple[Place, ...]], ...]:
    """Those that the person may open, group by group."""
    found = []
    for name, places in _GROUPS:
        mine = tuple(place for place in places if any(may(principal, act) for act in place.acts))
        if mine:
            found.append((name, mine))
    return tuple(found)


def home(principal: Principal) -> str:
    """Where somebody lands: the first place that is theirs."""
    mine = groups(principal)
    return mine[0][1][0].path if mine else "/account"
