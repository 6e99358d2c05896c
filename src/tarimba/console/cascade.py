"""What one agent gets: the four layers by name with what each hides, and the index that reaches its prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tarimba.console.asking import following, place
from tarimba.console.page import Html, Page, Shown, Visit
from tarimba.console.skill_places import Spot, lines_of, named, spot_of
from tarimba.kernel import Kernel
from tarimba.skills import service as skills

_NAMES: Final = 50
_LAYERS: Final = (1, 2, 3, 4)
_LEFT_MAX: Final = 100


@dataclass(frozen=True, slots=True)
class _Row:
    """One name. `layers` are the versions at the four layers, None where there is none; the last one wins."""

    name: str
    winner: skills.Published
    layers: tuple[skills.Published | None, ...]
    hides: int


def _cascade(kernel: Kernel, visit: Visit) -> Shown:
    places = named(kernel, visit)
    spot = _spot(visit, places)
    listed = f"cascade {spot.query}"
    at = place(kernel, visit, listed)
    found = skills.explain(
        kernel, visit.principal, spot.subscription, spot.agent, part=slice(at, at + _NAMES)
    )
    ends_at = at + _NAMES if at + _NAMES < found.count else None
    values = {
        **places,
        "spot": spot,
        "found": found,
        "rows": [_row(one) for one in found.of],
        "layers": _LAYERS,
        "following": following(kernel, visit, listed, ends_at),
    }
    return Html("cascade.html", values)


def _spot(visit: Visit, places: dict[str, Any]) -> Spot:
    """The one that is asked for; somebody who just comes is shown the first agent."""
    if "agent" in visit.query.values:
        return spot_of(visit.query)
    return Spot(visit.query.line("subscription"), next(iter(places["names"].agents), ""))


def _row(one: Any) -> _Row:
    winner, hidden = one.chosen.winner, one.chosen.hidden
    by_layer = {each.place.layer: each for each in (winner, *hidden)}
    return _Row(winner.name, winner, tuple(by_layer.get(layer) for layer in _LAYERS), len(hidden))


def _name(kernel: Kernel, visit: Visit) -> Shown:
    spot, name = spot_of(visit.query), visit.query.line("name")
    found = skills.explain(kernel, visit.principal, spot.subscription, spot.agent, name=name)
    (one,) = found.of
    values = {
        **named(kernel, visit),
        "spot": spot,
        "row": _row(one),
        "layers": _LAYERS,
        "differences": [(each, lines_of(each.text)) for each in one.differences],
    }
    return Html("cascade_name.html", values)


def _index(kernel: Kernel, visit: Visit) -> Shown:
    places = named(kernel, visit)
    spot = _spot(visit, places)
    index = None
    if spot.agent:
        index = skills.look_at_index(kernel, visit.principal, spot.subscription, spot.agent)
    left = () if index is None else index.left_out
    values = {
        **places,
        "spot": spot,
        "index": index,
        "bytes": 0 if index is None else len(index.text.encode()),
        "left": left[:_LEFT_MAX],
    }
    return Html("skill_index.html", values)


PAGES: Final = (
    Page("GET", "/skills/effective", _cascade, "look_at_skills"),
    Page("GET", "/skills/effective/one", _name, "look_at_skills"),
    Page("GET", "/skills/index", _index, "look_at_skills"),
)
