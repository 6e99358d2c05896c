"""My graph: what the agent knows for the member: listed, searched, opened, drawn, and every change of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tarimba.console.asking import following, place
from tarimba.console.page import Html, Page, Shown, Visit
from tarimba.console.seats import Seated, no_seat, seated
from tarimba.errors import Refusal
from tarimba.graph import service as graph
from tarimba.graph.model import Entity, Scope
from tarimba.kernel import Kernel

PATH: Final = "/graph"
ACT: Final = "own_memory"
_SHOWN: Final = 30
_CONVERSATION_SHOWN: Final = 50
# So many fit into a page that travels quickly, and into an eye.
_DRAWN: Final = 60
_HOPS: Final = ("1", "2", "3")
_LABEL_MAX: Final = 40
_STATUSES: Final = ("active", "archived", "merged")
# Relations of one entity that its page shows at once.
_RELATIONS: Final = 60
_HOURS: Final = ("24", "168", "720")


@dataclass(frozen=True, slots=True)
class _Line:
    """One entity of a list; `said` is what a search shows of it, `score` how near it came (0..1) by meaning."""

    name: str
    type_: str
    status: str
    observations: int
    changed_at: int
    said: tuple[str, ...] = ()
    score: float | None = None


def scope_of(kernel: Kernel, visit: Visit, seat: Seated) -> Scope:
    """Whose graph a seat means. Raises 403 and 404."""
    with kernel.database.read() as connection:
        return graph.seat_of(connection, visit.principal, seat.called)


def _list(kernel: Kernel, visit: Visit) -> Shown:
    seat = seated(kernel, visit, PATH)
    if seat is None:
        return no_seat("graph", PATH)
    status = visit.query.choice("status", _STATUSES, "active")
    type_ = visit.query.text("type")
    text = visit.query.line("text")
    by = visit.query.choice("by", ("words", "meaning"), "words")
    if text:
        lines, more, used = _searched(kernel, visit, seat, text, by)
        listing = None
    else:
        lines, more, listing = _listed(kernel, visit, seat, status, type_)
        used = ""
    values: dict[str, Any] = {
        "seat": seat,
        "lines": lines,
        "following": more,
        "listing": listing,
        "status": status,
        "statuses": _STATUSES,
        "type": type_,
        "text": text,
        "by": by,
        "used": used,
    }
    return Html("graph.html", values)


def _listed(
    kernel: Kernel, visit: Visit, seat: Seated, status: str, type_: str
) -> tuple[list[_Line], str, Any]:
    """A page of entities, where it goes on, and what the list as a whole holds."""
    listed = f"graph {seat.said}\0{status}\0{type_}"
    first = place(kernel, visit, listed)
    found = graph.list_entities(
        kernel, visit.principal, seat.called, status=status, type_=type_ or None, after=first, limit=_SHOWN
    )
    lines = [
        _Line(one.name, one.entity_type, one.status, one.observations, one.changed_at) for one in found.items
    ]
    return lines, following(kernel, visit, listed, found.ends_at), found


def _searched(kernel: Kernel, visit: Visit, seat: Seated, text: str, by: str) -> tuple[list[_Line], str, str]:
    """What a search finds, where it goes on, and by what it really looked."""
    scope, who = scope_of(kernel, visit, seat), graph.by_member(visit.principal)
    if by == "meaning":
        meant = graph.semantic_search(kernel, scope, who, text, k=_SHOWN)
        return [_line(hit.entity, hit.score) for hit in meant.hits], "", meant.search_type
    cursor = visit.query.line("cursor") or None
    found = graph.search_nodes(
        kernel, scope, who, text, max_observations=2, limit=_SHOWN, cursor=cursor, with_relations=False
    )
    return [_line(one) for one in found.entities], found.next_cursor or "", "words"


def _line(one: Entity, score: float | None = None) -> _Line:
    said = tuple(each.text for each in one.observations[:2])
    return _Line(one.name, one.entity_type, one.status, one.observation_count, one.changed_at, said, score)


def _entity(kernel: Kernel, visit: Visit) -> Shown:
    return entity_page(kernel, visit)


def entity_page(
    kernel: Kernel, visit: Visit, refusal: Refusal | None = None, *, form: str = "", key: str = ""
) -> Html:
    """One entity; after a refusal `form` names the form that was sent, `key` the observation that it was about."""
    seat = seated(kernel, visit, PATH)
    if seat is None:
        return no_seat("graph", PATH)
    name = visit.query.text("name")
    listed = f"entity {seat.said}\0{name}"
    found = graph.open_entity(
        kernel, visit.principal, seat.called, name, after=place(kernel, visit, listed), limit=_SHOWN
    )
    first = visit.query.number("relations", 0, 0, len(found.relations))
    ends_at = first + _RELATIONS
    values: dict[str, Any] = {
        "seat": seat,
        "entity": found.entity,
        "into": found.into,
        "seen": graph.etag(kernel.keys.of(visit.principal.space_id), found.at, found.entity),
        "observations": [(graph.key_of(one.content), one) for one in found.observations],
        "relations": found.relations[first:ends_at],
        "has_relations_before": first > 0,
        "relations_end": ends_at if ends_at < len(found.relations) else 0,
        "more_relations": found.more_relations,
        "ends": found.ends,
        "following": following(kernel, visit, listed, found.ends_at),
        "is_first": not visit.query.line("cursor"),
        "percent": percent,
        "refusal": refusal,
        "form": form,
        "key": key,
        "typed": visit.form,
    }
    return Html("graph_entity.html", values, 200 if refusal is None else refusal.status)


def percent(confidence: int | None) -> str:
    """A confidence in millionths as a form has it: in percent, exactly."""
    return "" if confidence is None else f"{confidence / 10_000:g}"


def _recent(kernel: Kernel, visit: Visit) -> Shown:
    seat = seated(kernel, visit, PATH)
    if seat is None:
        return no_seat("graph", PATH)
    hours = visit.query.choice("hours", _HOURS, _HOURS[1])
    scope, who = scope_of(kernel, visit, seat), graph.by_member(visit.principal)
    cursor = visit.query.line("cursor") or None
    found = graph.get_recent_changes(kernel, scope, who, int(hours), cursor=cursor)
    values = {
        "seat": seat,
        "hours": hours,
        "choices": _HOURS,
        "lines": [_line(one) for one in found.entities],
        "relations": found.relations,
        "following": found.next_cursor or "",
    }
    return Html("graph_recent.html", values)


def _learned(kernel: Kernel, visit: Visit) -> Shown:
    seat = seated(kernel, visit, PATH)
    if seat is None:
        return no_seat("graph", PATH)
    conversation = visit.query.text("conversation")
    values: dict[str, Any] = {"seat": seat, "conversation": conversation, "found": None, "following": ""}
    if conversation:
        listed = f"learned {seat.said}\0{conversation}"
        first = place(kernel, visit, listed)
        found = graph.learned_in(
            kernel, visit.principal, seat.called, conversation, place=first, limit=_CONVERSATION_SHOWN
        )
        values |= {"found": found, "following": following(kernel, visit, listed, found.ends_at)}
    return Html("graph_learned.html", values)


def _changes(kernel: Kernel, visit: Visit) -> Shown:
    return changes_page(kernel, visit)


def changes_page(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    """Every change of the graph, the latest first."""
    seat = seated(kernel, visit, PATH)
    if seat is None:
        return no_seat("graph", PATH)
    listed = f"changes {seat.said}"
    before = place(kernel, visit, listed) or None
    found = graph.list_changes(kernel, visit.principal, seat.called, before=before, limit=_SHOWN)
    values = {
        "seat": seat,
        "changes": found.items,
        "following": following(kernel, visit, listed, found.ends_at),
        "refusal": refusal,
    }
    return Html("graph_changes.html", values, 200 if refusal is None else refusal.status)


def _map(kernel: Kernel, visit: Visit) -> Shown:
    seat = seated(kernel, visit, PATH)
    if seat is None:
        return no_seat("graph", PATH)
    hops = visit.query.choice("hops", _HOPS, _HOPS[0])
    name = visit.query.text("name") or _first(kernel, visit, seat)
    values: dict[str, Any] = {"seat": seat, "hops": hops, "choices": _HOPS, "name": name, "around": None}
    if name:
        around = graph.look_around(kernel, visit.principal, seat.called, name, hops=int(hops), limit=_DRAWN)
        lines = [
            _Line(one.name, one.entity_type, one.status, one.observations, one.changed_at)
            for one in around.entities
        ]
        values |= {"around": around, "lines": lines, "drawn": _drawn(name, lines, around.relations)}
    return Html("graph_map.html", values)


def _first(kernel: Kernel, visit: Visit, seat: Seated) -> str:
    """Where a map begins when nothing is named: at what was learned first."""
    found = graph.list_entities(
        kernel, visit.principal, seat.called, status="active", type_=None, after=0, limit=1
    )
    return found.items[0].name if found.items else ""


def _drawn(name: str, lines: Sequence[_Line], relations: Sequence[Any]) -> str:
    """The picture as JSON: names, then those that are not there, and relations between their places."""
    places = {one.name: at for at, one in enumerate(lines)}
    for one in relations:
        for end in (one.from_name, one.to_name):
            places.setdefault(end, len(places))
    edges = [[places[one.from_name], places[one.to_name], _cut(one.relation_type)] for one in relations]
    drawn = {"names": list(places), "there": len(lines), "edges": edges, "center": places[name]}
    return json.dumps(drawn, ensure_ascii=False, separators=(",", ":"))


def _cut(text: str) -> str:
    return text if len(text) <= _LABEL_MAX else f"{text[: _LABEL_MAX - 1]}…"


PAGES: Final = (
    Page("GET", PATH, _list, ACT),
    Page("GET", f"{PATH}/entity", _entity, ACT),
    Page("GET", f"{PATH}/recent", _recent, ACT),
    Page("GET", f"{PATH}/learned", _learned, ACT),
    Page("GET", f"{PATH}/changes", _changes, ACT),
    Page("GET", f"{PATH}/map", _map, ACT),
)
