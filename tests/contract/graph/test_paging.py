"""Reads are short, and their cursors read everything exactly once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tarimba.graph import store, wire
from tarimba.graph.fitting import Page
from tarimba.graph.model import (
    NAME_MAX,
    OBSERVATION_MAX,
    TYPE_MAX,
    Entity,
    NewEntity,
    NewObservation,
    Relation,
    Sight,
)
from tarimba.graph.paging import Filling
from tarimba.graph.places import Place
from tarimba.graph.sources import Whole
from tarimba.graph.wire import View
from tarimba.kernel import Kernel
from tests.contract.graph.seat import Seat, entity, pages, seat_of
from tests.contract.notes.world import refusal
from tests.e2e.company import Company

TEXTS = st.text(st.sampled_from('ab "\\\n\u00e9\u65e5\x01'), min_size=1, max_size=150)
GRAPHS = st.lists(st.lists(TEXTS, max_size=6, unique=True), max_size=6)
VIEWS = st.sampled_from(["plain", "whole"])
# As it is promised, whatever the code calls it.
READ_MAX = 12_000


def joined(entities: list[Entity]) -> list[Entity]:
    """The entities of consecutive pages, each once, with the texts that were cut put together again."""
    whole: list[Entity] = []
    for one in entities:
        if not one.is_continued:
            whole.append(one)
            continue
        before = whole.pop()
        assert before.name == one.name
        said, more = list(before.observations), list(one.observations)
        if before.is_cut:
            last, first = said.pop(), more.pop(0)
            assert last.observation_no == first.observation_no
            said.append(replace(first, text=last.text + first.text))
        whole.append(replace(before, observations=(*said, *more), is_cut=one.is_cut))
    return whole


def told(entities: list[Entity]) -> list[tuple[str, list[str]]]:
    return [(one.name, [said.text for said in one.observations]) for one in joined(entities)]


def length(sight: Sight, view: View = "plain") -> int:
    return len(wire.text(wire.sight(sight, view)))


@pytest.mark.promise("graph-bounded")
@given(graph=GRAPHS, room=st.integers(300, 700), limit=st.integers(1, 9), view=VIEWS)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_pages_of_any_size_read_everything_once(
    opened: Kernel, company: Company, graph: list[list[str]], room: int, limit: int, view: View
) -> None:
    seat = seat_of(opened, company)
    names = [f"Thing {number}" for number in range(len(graph))]
    seat.create(*(entity(name, *texts) for name, texts in zip(names, graph, strict=True)))
    triples = [(one, other, "near") for one in names for other in names]
    seat.relate(*triples)
    entities: list[Entity] = []
    relations: list[Relation] = []
    place: Place | None = Place()
    with opened.database.read() as connection:
        found = store.graph_of(connection, seat.scope)
        assert found is not None
        while place is not None:
            page = Page(view, limit, room)
            place = Filling(connection, Whole(found, ["active"]), page, None).fill(place)
            assert place is None or not page.is_empty
            written = {
                "entities": [wire.entity(one, view) for one in page.entities],
                "relations": [wire.relation(one, view) for one in page.relations],
            }
            assert len(wire.text(written)) <= room + len('{"entities":[],"relations":[]}')
            assert len(page.entities) + len(page.relations) <= limit
            entities += page.entities
            relations += page.relations
    assert told(entities) == list(zip(names, graph, strict=True))
    assert [(one.source, one.target, one.relation_type) for one in relations] == triples


@pytest.mark.promise("graph-bounded")
def test_the_largest_entities_are_read_in_short_pages(seat: Seat) -> None:
    name, kind = '"' * NAME_MAX, "\\" * TYPE_MAX
    # A control character takes six characters to write.
    texts = ["\x01" * (OBSERVATION_MAX - 2) + f"{number:02}" for number in range(3)]
    seat.create(NewEntity(name, kind, tuple(map(NewObservation, texts))), entity("Small", "x"))
    seat.relate((name, name, kind))
    reads: tuple[tuple[Callable[[str | None], Sight], View], ...] = (
        (lambda cursor: seat.read(detail="full", cursor=cursor), "plain"),
        (lambda cursor: seat.open(name, "Small", cursor=cursor), "plain"),
        (lambda cursor: seat.details(name, "Small", cursor=cursor), "whole"),
    )
    for read, view in reads:
        sights = list(pages(read))
        assert max(length(sight, view) for sight in sights) < READ_MAX
        found = [one for sight in sights for one in sight.entities]
        assert told(found) == [(name, texts), ("Small", ["x"])]
        assert [one.source for sight in sights for one in sight.relations] == [name]
    for detail in ("minimal", "summary"):
        sights = list(pages(lambda cursor: seat.read(detail=detail, cursor=cursor)))  # noqa: B023 - run at once
        assert [one.name for sight in sights for one in sight.entities] == [name, "Small"]
        largest = wire.sight(sights[0])["entities"][0]
        is_cut = detail == "summary"
        assert largest["moreObservations"] == 3 - is_cut
        assert largest.get("cut", False) == is_cut
        assert all(texts[0].startswith(said) for said in largest["observations"])
        assert max(map(length, sights)) < READ_MAX


@pytest.mark.promise("graph-bounded")
def test_a_summary_shows_the_first_ten_and_says_how_many_more(seat: Seat) -> None:
    seat.create(entity("Hub", *(f"Fact {number}." for number in range(13))))
    shown = wire.sight(seat.read())["entities"][0]
    assert shown["observations"] == [f"Fact {number}." for number in range(10)]
    assert shown["moreObservations"] == 3
    (whole,) = wire.sight(seat.read(detail="full"))["entities"]
    assert len(whole["observations"]) == 13


@pytest.mark.promise("graph-bounded")
def test_an_entity_of_hundreds_of_observations_is_read_in_full(seat: Seat) -> None:
    texts = [f"Fact {number} of the hub." for number in range(750)]
    seat.create(entity("Before", "x"), entity("Hub"), entity("After", "y"))
    for first in range(0, len(texts), 100):
        seat.observe({"Hub": texts[first : first + 100]})
    sights = list(pages(lambda cursor: seat.read(detail="full", cursor=cursor)))
    assert told([one for sight in sights for one in sight.entities]) == [
        ("Before", ["x"]), ("Hub", texts), ("After", ["y"])
    ]  # fmt: skip
    assert max(map(length, sights)) < READ_MAX


@pytest.mark.promise("graph-bounded")
def test_a_cursor_is_good_for_the_same_read_alone(seat: Seat) -> None:
    seat.create(*(entity(f"Thing {number}") for number in range(4)))
    cursor = seat.read(limit=2).next_cursor
    assert cursor is not None
    assert [one.name for one in seat.read(limit=1, cursor=cursor).entities] == ["Thing 2"]
    others: list[Any] = [
        lambda: seat.read(limit=2, detail="full", cursor=cursor),
        lambda: seat.read(limit=2, include_archived=True, cursor=cursor),
        lambda: seat.open("Thing 0", cursor=cursor),
        lambda: seat.read(limit=2, cursor=cursor[:-2] + "AA"),
        lambda: seat.read(limit=2, cursor=f"{cursor}.{cursor}"),
        lambda: seat.read(limit=2, cursor=""),
    ]
    assert {refusal(read).code for read in others} == {"invalid_input"}


def test_what_changed_last_comes_first(seat: Seat) -> None:
    seat.create(entity("Old", "x"), entity("Dock"), entity("Gate"))
    seat.relate(("Old", "Dock", "near"))
    seat.observe({"Old": ["y"]})
    seat.archive("Dock")
    sight = seat.recent()
    assert [(one.name, one.status) for one in sight.entities] == [
        ("Dock", "archived"), ("Old", "active"), ("Gate", "active")
    ]  # fmt: skip
    assert [one.target for one in sight.relations] == ["Dock"]
    later = replace(seat, kernel=seat.kernel)
    offset = later.kernel.clock.offset_us
    later.kernel.clock.offset_us = offset + 2 * 3_600_000_000
    try:
        later.create(entity("New"))
        assert [one.name for one in later.recent(hours=1).entities] == ["New"]
        assert len(later.recent(hours=3).entities) == 4
    finally:
        later.kernel.clock.offset_us = offset


def test_a_read_of_what_is_recent_ends_where_it_began(seat: Seat) -> None:
    texts = ["x" * 900, "y" * 900]
    seat.create(*(entity(f"Thing {number:02}", *texts) for number in range(20)))
    sights = list(pages(lambda cursor: seat.recent(cursor=cursor)))
    names = [one.name for sight in sights for one in sight.entities]
    assert len(sights) > 2
    assert names == [f"Thing {number:02}" for number in reversed(range(20))]


def test_nothing_was_written_so_nothing_is_read(seat: Seat) -> None:
    for sight in (seat.read(), seat.open("x"), seat.details("x"), seat.recent()):
        assert (sight.entities, sight.relations, sight.next_cursor) == ((), (), None)
    assert seat.counts() == (0, 0, 0)
