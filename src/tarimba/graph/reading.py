"""Reading the graph, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from tarimba.clock import HOUR
from tarimba.errors import invalid
from tarimba.graph import rules, store
from tarimba.graph.acting import Act, leave_read, require_standing
from tarimba.graph.fitting import Page
from tarimba.graph.model import PAGE_MAX, By, Detail, Reading, Scope, Sight
from tarimba.graph.paging import Filling
from tarimba.graph.places import Cursors, Place
from tarimba.graph.rows import Graph
from tarimba.graph.sources import Named, Recent, Source, Whole
from tarimba.graph.wire import View
from tarimba.kernel import Kernel

SUMMARY_OBSERVATIONS: Final = 10
"""How many observations of an entity a summary shows."""

VIEWS: Final[Mapping[Detail, View]] = {"minimal": "brief", "summary": "plain", "full": "plain"}
_MOST: Final[Mapping[Detail, int | None]] = {"minimal": 0, "summary": SUMMARY_OBSERVATIONS, "full": None}
_OPENED: Final = ("active", "archived")
_ALL: Final = (*_OPENED, "merged")

Find = Callable[[Connection, Graph, Place], tuple[Source, int] | None]
"""The source of a read, and where a list of what is recent ends; None when there is nothing to see."""


@dataclass(frozen=True, slots=True)
class _Read:
    """One read: its page, at most so many observations of each entity, and where it goes on.

    `told` is what makes it the same read as that of the page before.
    """

    act: Act
    page: Page
    most: int | None
    cursor: str | None
    told: tuple[str, ...]
    names: tuple[str, ...] = ()


def read_graph(kernel: Kernel, scope: Scope, by: By, reading: Reading) -> Sight:
    """The graph, or the entities of some names; relations of what is hidden are hidden too.

    Raises 403, and 422 for a limit, a name or a cursor that is none.
    """
    names = reading.names or ()
    rules.require_names("entityNames", names)
    if not 1 <= reading.limit <= PAGE_MAX:
        raise invalid("limit", f"must be from 1 to {PAGE_MAX:,}")
    if reading.detail not in VIEWS:
        raise invalid("detailLevel", f"must be one of {', '.join(VIEWS)}")
    statuses = ["active"]
    statuses += ["archived"] * reading.include_archived + ["merged"] * reading.include_merged

    def find(_connection: Connection, graph: Graph, _place: Place) -> tuple[Source, int]:
        return (Named(graph, statuses, names) if names else Whole(graph, statuses)), 0

    act = Act(scope, by, "read_graph")
    page = Page(VIEWS[reading.detail], reading.limit)
    told = (reading.detail, *statuses, *sorted(names))
    read = _Read(act, page, _MOST[reading.detail], reading.cursor, told, names)
    return _seen(kernel, read, find)


def open_nodes(
    kernel: Kernel, scope: Scope, by: By, names: Sequence[str], *, cursor: str | None = None
) -> Sight:
    """The entities of these names with all observations, and every relation that touches them. Raises 403 and 422."""
    return _opened(kernel, Act(scope, by, "open_nodes"), "names", names, cursor)


def get_entity_details(
    kernel: Kernel, scope: Scope, by: By, names: Sequence[str], *, cursor: str | None = None
) -> Sight:
    """As `open_nodes`, for the view `whole`; also what was merged away. Raises 403 and 422."""
    return _opened(kernel, Act(scope, by, "get_entity_details"), "entityNames", names, cursor)


def get_recent_changes(
    kernel: Kernel, scope: Scope, by: By, hours: int = 24, *, cursor: str | None = None
) -> Sight:
    """The entities that changed in so many hours, the last first, and the relations made since. Raises 403 and 422."""
    rules.require_hours(hours)
    moment = kernel.writer.now(scope.space_id) - hours * HOUR

    def find(connection: Connection, graph: Graph, place: Place) -> tuple[Source, int] | None:
        # The pages of one list end at the same change, however long somebody takes to read them.
        since = place.since or store.first_change_since(connection, graph, moment)
        return None if since is None else (Recent(graph, since), since)

    act = Act(scope, by, "get_recent_changes")
    page = Page("plain", PAGE_MAX)
    return _seen(kernel, _Read(act, page, SUMMARY_OBSERVATIONS, cursor, (str(hours),)), find)


def _opened(kernel: Kernel, act: Act, field: str, names: Sequence[str], cursor: str | None) -> Sight:
    rules.require_names(field, names)
    is_whole = act.action == "get_entity_details"
    statuses = _ALL if is_whole else _OPENED

    def find(_connection: Connection, graph: Graph, _place: Place) -> tuple[Source, int]:
        return Named(graph, statuses, names), 0

    page = Page("whole" if is_whole else "plain", PAGE_MAX)
    return _seen(kernel, _Read(act, page, None, cursor, tuple(sorted(names)), tuple(names)), find)


def _seen(kernel: Kernel, read: _Read, find: Find) -> Sight:
    """Fills the page and leaves the receipt."""
    scope, page = read.act.scope, read.page
    cursors = Cursors.of(kernel.keys.of(scope.space_id), read.act, *read.told)
    place = cursors.read(read.cursor)
    with kernel.database.read() as connection:
        require_standing(connection, scope, read.act.by)
        goes_on = _filled(connection, read, find, place)
    counts = {"entities": len(page.entities), "relations": len(page.relations)}
    receipt = leave_read(kernel, read.act, read.names, **counts)
    next_cursor = None if goes_on is None else cursors.write(goes_on)
    return Sight(tuple(page.entities), tuple(page.relations), goes_on is not None, next_cursor, receipt)


def _filled(connection: Connection, read: _Read, find: Find, place: Place) -> Place | None:
    graph = store.graph_of(connection, read.act.scope)
    found = find(connection, graph, place) if graph else None
    if found is None:
        return None
    source, since = found
    return Filling(connection, source, read.page, read.most, since).fill(place)
