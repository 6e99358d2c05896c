"""Many writers on one member's graph, in one process and in several, some of which are killed: nothing is lost."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from tarimba.kernel import Kernel
from tests.contract.graph.seat import Seat, entity, pages
from tests.contract.graph.writers import SHARED
from tests.contract.notes.world import at_once
from tests.e2e.company import Company, Place, log_of, require_kept

WRITERS = Path(__file__).with_name("writers.py")


def start(place: Place, seat: Seat, who: str, writers: int, each: int) -> subprocess.Popen[str]:
    scope = seat.scope
    ids = (scope.space_id, scope.subscription_id, scope.source_id, scope.person_id)
    given = (str(place.data), place.db or "", *ids, who, str(writers), str(each))
    environment = dict(os.environ) | place.environment
    command = [sys.executable, str(WRITERS), *given]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def told(seat: Seat) -> dict[str, list[str]]:
    """Every entity with all that was observed of it."""
    found: dict[str, list[str]] = {}
    for sight in pages(lambda cursor: seat.read(detail="full", limit=1_000, cursor=cursor)):
        for one in sight.entities:
            found.setdefault(one.name, []).extend(said.text for said in one.observations)
    return found


def require_there(seat: Seat, names: Sequence[str]) -> None:
    """Each name with its observation, and both counted right."""
    found = told(seat)
    assert [name for name in names if found.get(name) != [f"{name} was done"]] == []
    assert {f"{name} came by" for name in names} <= set(found[SHARED])
    assert seat.counts() == seat.stored()


@pytest.mark.promise("graph-loses-nothing")
def test_fifty_creates_at_once_are_fifty_entities(seat: Seat) -> None:
    codes = at_once([partial(seat.create, entity(f"Step {number}", "x")) for number in range(50)])
    assert codes == ["ok"] * 50
    assert sorted(told(seat)) == sorted(f"Step {number}" for number in range(50))
    assert seat.counts() == seat.stored() == (50, 50, 0)


@pytest.mark.promise("graph-loses-nothing")
def test_of_many_with_one_name_one_is_made(seat: Seat) -> None:
    codes = at_once([partial(seat.create, entity("Dock", f"{number}")) for number in range(20)])
    assert codes == ["ok"] * 20
    assert len(told(seat)["Dock"]) == 1
    assert seat.counts() == seat.stored() == (1, 1, 0)


@pytest.mark.promise("graph-loses-nothing")
def test_four_processes_with_six_writers_each_lose_nothing(
    place: Place, opened: Kernel, company: Company, seat: Seat
) -> None:
    seat.create(entity(SHARED))
    running = [start(place, seat, who, 6, 13) for who in ("north", "south", "east", "west")]
    lines = [line for process in running for line in process.communicate(timeout=300)[0].splitlines()]
    assert [process.returncode for process in running] == [0] * 4
    names = [line.partition("\t")[2] for line in lines]
    assert len(set(names)) == 4 * 6 * 13
    require_there(seat, names)
    assert seat.counts() == (1 + len(names), 2 * len(names), 0)
    places = {stored.seq for stored in log_of(opened, company)}
    assert {int(line.partition("\t")[0]) for line in lines} <= places


def kill_under_load(place: Place, opened: Kernel, company: Company, seat: Seat, kills: int) -> None:
    seat.create(entity(SHARED))
    moments = random.Random(kills)
    names: list[str] = []
    for kill in range(kills):
        process = start(place, seat, f"round {kill}", 6, 10_000)
        assert process.stdout is not None
        for _ in range(moments.randrange(5, 40)):
            line = process.stdout.readline()
            names.append(line.rstrip("\n").partition("\t")[2])
        process.kill()
        # What it still had said when it was killed counts too.
        names += [line.partition("\t")[2] for line in process.communicate()[0].split("\n")[:-1]]
        require_there(seat, names)
    # At most what was under way at the kill is there beyond what was acknowledged.
    assert len(names) <= seat.counts()[0] - 1 <= len(names) + 6 * kills
    require_kept(opened, company, [])


@pytest.mark.promise("graph-loses-nothing")
def test_three_kills_lose_nothing_that_was_acknowledged(
    place: Place, opened: Kernel, company: Company, seat: Seat
) -> None:
    kill_under_load(place, opened, company, seat, 3)


@pytest.mark.nightly
@pytest.mark.promise("graph-loses-nothing")
def test_twenty_kills_lose_nothing_that_was_acknowledged(
    place: Place, opened: Kernel, company: Company, seat: Seat
) -> None:
    kill_under_load(place, opened, company, seat, 20)
