"""Each limit is exact and has an error of its own; what can't be kept is refused, and nothing of such a call is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import delete, update

from tarimba.graph import removing
from tarimba.graph.model import ITEMS_MAX, NAME_MAX, OBSERVATION_MAX, TYPE_MAX, NewEntity, NewObservation
from tarimba.kernel import Kernel
from tarimba.storage.tables import person, subscription_member
from tests.contract.graph.seat import Seat, entity, seat_of
from tests.contract.notes.world import at_once, refusal
from tests.e2e.company import Company, Place

Work = Callable[[], object]


@pytest.fixture(scope="module")
def small(place: Place, company: Company) -> Iterator[Callable[[], Seat]]:
    """Seats whose graphs hold five entities and eight observations."""
    with place.kernel(graph_entities_max=5, graph_observations_max=8) as kernel:
        yield lambda: seat_of(kernel, company)


def refused(work: Work) -> tuple[str, str]:
    found = refusal(work)
    return found.code, found.detail


@pytest.mark.promise("graph-limits")
def test_what_is_at_the_limit_is_taken(seat: Seat) -> None:
    name, kind, text = "n" * NAME_MAX, "t" * TYPE_MAX, "o" * OBSERVATION_MAX
    seat.create(entity(name, text, kind=kind), *(entity(f"{n}") for n in range(ITEMS_MAX - 1)))
    seat.relate((name, name, kind))
    assert seat.observe({"1": [f"{n}" for n in range(ITEMS_MAX)]})[0]["skipped"] == 0
    assert seat.counts() == (ITEMS_MAX, ITEMS_MAX + 1, 1)


@pytest.mark.promise("graph-limits")
def test_what_is_above_a_limit_is_refused_by_a_sentence_of_its_own(seat: Seat) -> None:
    name, kind, text = "n" * (NAME_MAX + 1), "t" * (TYPE_MAX + 1), "o" * (OBSERVATION_MAX + 1)
    many = [f"{n}" for n in range(ITEMS_MAX + 1)]
    fine = entity("Fine", "x")
    cases: list[tuple[Work, str]] = [
        (lambda: seat.create(fine, entity(name)), "entities[1].name: must be at most 512 characters"),
        (lambda: seat.create(fine, entity("")), "entities[1].name: must not be empty"),
        (
            lambda: seat.create(fine, entity("x", kind=kind)),
            "entities[1].entityType: must be at most 128 characters",
        ),
        (
            lambda: seat.create(fine, entity("x", "y", text)),
            "entities[1].observations[1]: must be at most 8,000 characters",
        ),
        (lambda: seat.create(fine, entity("x", "")), "entities[1].observations[0]: must not be empty"),
        (lambda: seat.create(*map(entity, many)), "entities: at most 100 items in one call"),
        (lambda: seat.create(fine, entity("x", *many)), "entities[1].observations: at most 100 items"),
        (lambda: seat.relate(("x", name, "y")), "relations[0].to: must be at most 512 characters"),
        (lambda: seat.relate(("x", "y", "")), "relations[0].relationType: must not be empty"),
        (lambda: seat.relate(*[("x", one, "y") for one in many]), "relations: at most 100 items"),
        (lambda: seat.observe({one: ["x"] for one in many}), "observations: at most 100 items"),
        (lambda: seat.observe({"x": many}), "observations[0].contents: at most 100 items"),
        (lambda: seat.delete(*many), "entityNames: at most 100 items"),
        (lambda: seat.forget({"x": many}), "deletions[0].observations: at most 100 items"),
        (lambda: seat.open(*many), "names: at most 100 items"),
        (lambda: seat.details(name), "entityNames[0]: must be at most 512 characters"),
        (lambda: seat.read(limit=0), "limit: must be from 1 to 1,000"),
        (lambda: seat.read(limit=1001), "limit: must be from 1 to 1,000"),
        (lambda: seat.recent(0), "hours: must be from 1 to 8,784"),
        (lambda: seat.merge("x", "x"), "target: must be another entity"),
    ]
    for work, sentence in cases:
        code, detail = refused(work)
        assert code == "invalid_input"
        assert detail.startswith(sentence)
    assert seat.counts() == (0, 0, 0)


@pytest.mark.promise("graph-limits")
@pytest.mark.parametrize("bad", ["a\0b", "a\ud800b"])
def test_text_that_cannot_be_kept_is_refused_wherever_it_stands(seat: Seat, bad: str) -> None:
    works: list[Work] = [
        lambda: seat.create(entity(bad)),
        lambda: seat.create(entity("x", bad)),
        lambda: seat.create(entity("x", kind=bad)),
        lambda: seat.relate((bad, "x", "y")),
        lambda: seat.relate(("x", bad, "y")),
        lambda: seat.relate(("x", "y", bad)),
        lambda: seat.observe({"x": [bad]}),
        lambda: seat.observe({bad: ["x"]}),
        lambda: seat.delete(bad),
        lambda: seat.forget({"x": [bad]}),
        lambda: seat.open(bad),
        lambda: seat.merge(bad, "x"),
        lambda: seat.archive(bad),
        lambda: seat.within(bad).create(entity("x")),
        lambda: seat.within(bad).read(),
    ]
    for work in works:
        code, detail = refused(work)
        assert code == "invalid_input"
        assert "must hold no NUL character and no unpaired surrogate" in detail
        assert bad not in detail
    assert seat.counts() == (0, 0, 0)


@pytest.mark.promise("graph-limits")
@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_confidence_is_from_nought_to_one(seat: Seat, confidence: float) -> None:
    new = NewEntity("x", "y", (NewObservation("z", confidence),))
    assert refused(lambda: seat.create(new))[1].startswith("entities[0].observations[0].confidence: must be")


@pytest.mark.promise("graph-limits")
def test_a_graph_holds_as_many_entities_as_it_may(small: Callable[[], Seat]) -> None:
    seat = small()
    seat.create(*(entity(f"{n}") for n in range(4)))
    code, detail = refused(lambda: seat.create(entity("Four"), entity("Five")))
    assert (code, detail.partition(",")[0]) == ("conflict", "A graph may hold 5 entities")
    assert seat.counts() == seat.stored() == (4, 0, 0)
    # Names that are taken need no room, and what was deleted gives room.
    assert seat.create(entity("0"), entity("Four"))["skipped"] == ["0"]
    assert seat.delete("0") == 1
    seat.create(entity("Six"))
    assert seat.counts() == seat.stored() == (5, 0, 0)


@pytest.mark.promise("graph-limits")
def test_a_graph_holds_as_many_observations_as_it_may(small: Callable[[], Seat]) -> None:
    seat = small()
    seat.create(entity("x", *(f"{n}" for n in range(7))))
    for work in (lambda: seat.observe({"x": ["a", "b"]}), lambda: seat.create(entity("y", "a", "b"))):
        code, detail = refused(work)
        assert (code, detail.partition(",")[0]) == ("conflict", "A graph may hold 8 observations")
    assert seat.counts() == seat.stored() == (1, 7, 0)
    seat.observe({"x": ["a", "6"]})
    assert seat.counts() == seat.stored() == (1, 8, 0)


@pytest.mark.promise("graph-limits")
def test_many_at_once_fill_the_last_places_and_no_more(small: Callable[[], Seat]) -> None:
    seat = small()
    codes = at_once([partial(seat.create, entity(f"{number}")) for number in range(16)])
    assert sorted(codes) == ["conflict"] * 11 + ["ok"] * 5
    assert seat.counts() == seat.stored() == (5, 0, 0)


def test_an_entity_that_is_missing_leaves_the_whole_call_unwritten(seat: Seat) -> None:
    seat.create(entity("Here"), entity("Old"))
    seat.merge("Old", "Here")
    code, detail = refused(lambda: seat.observe({"Here": ["x"], "Gone": ["y"]}))
    assert (code, detail.partition(":")[0]) == ("not_found", "observations[1].entityName")
    assert "Gone" not in detail
    assert refused(lambda: seat.observe({"Here": ["x"], "Old": ["y"]}))[0] == "conflict"
    assert seat.counts() == seat.stored() == (2, 0, 0)


def test_an_entity_that_was_merged_away_is_settled(seat: Seat) -> None:
    seat.create(entity("Here"), entity("Old"))
    seat.merge("Old", "Here")
    works: list[Work] = [
        lambda: seat.merge("Old", "Here"),
        lambda: seat.merge("Here", "Old"),
        lambda: seat.archive("Old"),
        lambda: seat.unarchive("Old"),
    ]
    assert {refused(work)[0] for work in works} == {"conflict"}
    assert refused(lambda: seat.merge("Here", "Gone"))[0] == "not_found"
    assert seat.open("Old").entities == ()
    assert [one.merged_into for one in seat.details("Old").entities] == ["Here"]


def test_who_is_no_member_any_more_reads_and_writes_nothing(opened: Kernel, seat: Seat) -> None:
    seat.create(entity("Here", "x"), entity("There"))
    columns = subscription_member.c
    mine = (
        columns.space_id == seat.scope.space_id,
        columns.subscription_id == seat.scope.subscription_id,
    )
    works: list[Work] = [
        *(lambda: seat.create(entity("x")), lambda: seat.relate(("Here", "Here", "near"))),
        *(lambda: seat.observe({"Here": ["y"]}), lambda: seat.forget({"Here": ["x"]})),
        *(lambda: seat.unrelate(("Here", "Here", "near")), lambda: seat.delete("Here")),
        *(lambda: seat.merge("Here", "There"), lambda: seat.archive("Here"), lambda: seat.unarchive("Here")),
        *(seat.read, seat.recent, lambda: seat.open("Here"), lambda: seat.details("Here")),
    ]
    raised = replace(seat, by=replace(seat.by, epoch=1))
    assert refused(raised.read)[0] == refused(lambda: raised.create(entity("x")))[0] == "scope_missing"
    with opened.database.write() as connection:
        connection.execute(
            update(person).where(person.c.space_id == seat.scope.space_id).values(disabled_at=1)
        )
    assert {refused(work)[0] for work in works} == {"scope_missing"}
    with opened.database.write() as connection:
        connection.execute(
            update(person).where(person.c.space_id == seat.scope.space_id).values(disabled_at=None)
        )
    assert [one.name for one in seat.read().entities] == ["Here", "There"]
    with opened.database.write() as connection:
        connection.execute(delete(subscription_member).where(*mine))
    assert {refused(work)[0] for work in works} == {"scope_missing"}
    assert seat.counts() == seat.stored() == (2, 1, 0)


@pytest.mark.promise("graph-limits")
def test_one_merge_or_delete_moves_so_many_rows_and_no_more(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removing, "ROWS_MAX", 5)
    seat.create(entity("Hub", "a", "b", "c"), entity("Other"), entity("Third", "d"))
    seat.relate(*(("Hub", "Other", f"{number}") for number in range(3)))
    before = (seat.counts(), seat.stored())
    for work in (
        lambda: seat.merge("Hub", "Other"),
        lambda: seat.delete("Hub"),
        lambda: seat.delete("Third", "Hub"),
    ):
        code, detail = refused(work)
        assert (code, detail.partition(",")[0]) == ("conflict", "More than 5 observations")
    assert (seat.counts(), seat.stored()) == before
    seat.unrelate(("Hub", "Other", "0"))
    seat.merge("Hub", "Other")
    assert seat.counts() == seat.stored() == (3, 4, 0)
    # What was merged into an entity goes with it, and counts.
    seat.observe({"Other": ["e", "f"]})
    assert refused(lambda: seat.delete("Other"))[0] == "conflict"
    seat.forget({"Other": ["e"]})
    assert seat.delete("Other") == 1
