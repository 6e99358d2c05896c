"""Which of their seats a member means: that with one agent in one subscription, and a project of it.

The address says it, so every link and form of a page keeps it: `seat=<subscription>~<agent>[~<project>]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from tarimba.console.asking import is_for_the_form
from tarimba.console.page import Html, Redirect, Visit
from tarimba.errors import Refusal
from tarimba.identity.listing import Window
from tarimba.identity.seats import Called
from tarimba.kernel import Kernel
from tarimba.workspaces import service as workspaces
from tarimba.workspaces.model import Project

# Somebody with more seats reaches the others by their address.
_OFFERED: Final = Window(50)
_APART: Final = "~"
# What an agent or the machine is in the way of: the same form may do when it is sent again.
_PASSING: Final = frozenset({"unavailable", "not_implemented"})


@dataclass(frozen=True, slots=True)
class Seated:
    """The seat that is meant. `options` are all of the member's as (value, label); `query` is what links repeat."""

    path: str
    said: str
    label: str
    options: tuple[tuple[str, str], ...]
    projects: tuple[Project, ...]
    called: Called

    @property
    def query(self) -> Mapping[str, str]:
        return {"seat": self.said}


def seated(kernel: Kernel, visit: Visit, path: str, *, in_projects: bool = False) -> Seated | None:
    """The seat that the address names, else the member's first; None where they have none. Raises 403 and 404."""
    own = workspaces.list_own(kernel, visit.principal, _OFFERED).items
    if not own:
        return None
    options: list[tuple[str, str]] = []
    projects: dict[str, tuple[Project, ...]] = {}
    for one in own:
        seat, subscription = one.entry.workspace.seat, one.entry.subscription
        said, label = f"{subscription}{_APART}{seat.agent}", f"{seat.agent} · {subscription}"
        options.append((said, label))
        projects[said] = one.projects
        if in_projects:
            options += [(f"{said}{_APART}{each.project}", f"{label} · {each.name}") for each in one.projects]
    named = called(visit) if visit.query.line("seat") else _called(options[0][0])
    meant = said_of(named, in_projects=in_projects)
    return Seated(
        path=path,
        said=meant,
        label=dict(options).get(meant, meant.replace(_APART, " · ")),
        options=tuple(options),
        projects=projects.get(said_of(named, in_projects=False), ()),
        called=_called(meant),
    )


def called(visit: Visit) -> Called:
    """What the address of a page or of a form names."""
    return _called(visit.query.line("seat"))


def said_of(named: Called, *, in_projects: bool = True) -> str:
    """A seat as an address says it."""
    parts = [named.subscription, named.agent]
    return _APART.join([*parts, named.project] if in_projects and named.project else parts)


def no_seat(here: str, path: str) -> Html:
    """The page of a member who works with no agent yet."""
    return Html("no_seat.html", {"place": here, "place_path": path})


def going(visit: Visit, to: str, done: str = "", /, **query: Any) -> Redirect:
    """On to a page of the same seat."""
    named = {"seat": visit.query.line("seat")} | {name: str(value) for name, value in query.items() if value}
    return Redirect(f"{to}?{urlencode(named)}", done)


def is_shown(refusal: Refusal) -> bool:
    """Whether the form is shown again with what it held, and what the refusal says beside it."""
    return is_for_the_form(refusal) or refusal.code in _PASSING


def _called(said: str) -> Called:
    subscription, _, rest = said.partition(_APART)
    agent, _, project = rest.partition(_APART)
    return Called(subscription, agent, project=project)
