"""The overview: how the memory stands, what waits, what was refused, what was given out, and the first steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tarimba.clock import DAY
from tarimba.console.page import Html, Page, Shown, Visit
from tarimba.identity.listing import Window
from tarimba.identity.naming import names_of
from tarimba.identity.rules import may
from tarimba.jobs import service as jobs
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.proof import service as proof
from tarimba.proof.model import Check
from tarimba.receipts import activity
from tarimba.webhooks import managing as webhooks

_DAYS: Final = 14
# What makes the block of an agent another one.
_CHANGES: Final = ("note.create", "note.edit", "note.retire", "note.open")
_STEPS: Final = ("on", "vendor", "key", "note", "approval")
_LOOKED_AT: Final = 100


@dataclass(frozen=True, slots=True)
class _Day:
    """One day of the charts, in its own words."""

    label: str
    delivered: int
    changed: int


def _overview(kernel: Kernel, visit: Visit) -> Shown:
    standing = notes.standing(kernel, visit.principal)
    values: dict[str, Any] = {
        "standing": standing,
        "days": _days(kernel, visit),
        "names": names_of(kernel, visit.principal),
        "failing": _failing(kernel, visit),
        "stuck": _stuck(kernel, visit),
        "checked": _checked(kernel, visit),
        "steps": [(name, name in standing.has) for name in _STEPS],
        "is_begun": set(_STEPS) <= standing.has,
    }
    return Html("overview.html", values)


def _days(kernel: Kernel, visit: Visit) -> list[_Day]:
    today = kernel.clock.now_us() // DAY * DAY
    first = today - (_DAYS - 1) * DAY
    counted = activity.days(kernel, visit.principal, first)
    delivered = {one.day: one.notes for one in counted if one.action == "block.read"}
    changed: dict[int, int] = {}
    for one in counted:
        if one.action in _CHANGES:
            changed[one.day] = changed.get(one.day, 0) + one.count
    return [
        _Day(visit.speech.day(day), delivered.get(day, 0), changed.get(day, 0))
        for day in range(first, today + DAY, DAY)
    ]


def _failing(kernel: Kernel, visit: Visit) -> list[Any]:
    if not may(visit.principal, "webhooks"):
        return []
    found = webhooks.list_webhooks(kernel, visit.principal, Window(_LOOKED_AT))
    return [one for one in found.items if one.state == "failing"]


def _stuck(kernel: Kernel, visit: Visit) -> list[Any]:
    if not may(visit.principal, "jobs"):
        return []
    found = jobs.list_jobs(kernel, visit.principal, Window(_LOOKED_AT))
    return [one for one in found.items if one.problem is not None]


def _checked(kernel: Kernel, visit: Visit) -> list[Check]:
    """The last verification of the log that has ended, if there was one."""
    if not may(visit.principal, "receipts"):
        return []
    return [one for one in proof.checks(kernel, visit.principal) if one.finished_at is not None][:1]


PAGES: Final = (Page("GET", "/overview", _overview, "read_notes"),)
