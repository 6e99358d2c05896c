"""The cost of a call does not grow with the graph: each statement finds its rows by an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, event

from tests.contract.graph.seat import Seat, entity, seat_of
from tests.e2e.company import Place, found_in
from tests.e2e.conftest import sqlite_place  # noqa: F401


@contextmanager
def heard(*engines: Engine) -> Iterator[list[tuple[str, Any]]]:
    """The statements that run, with their parameters (the first ones, of many)."""
    said: list[tuple[str, Any]] = []

    def note(_conn: Any, _cursor: Any, statement: str, given: Any, _context: Any, many: bool) -> None:
        said.append((statement, given[0] if many else given))

    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    yield said
    for engine in engines:
        event.remove(engine, "before_cursor_execute", note)


def work(seat: Seat, number: int) -> None:
    """Each operation that is not a search."""
    seat.create(entity(f"Step {number}", "x", "y"), entity(f"Other {number}", "x"))
    seat.relate((f"Step {number}", f"Other {number}", "near"), (f"Step {number}", "Gone", "near"))
    seat.observe({f"Step {number}": ["z"]})
    seat.forget({f"Step {number}": ["z"]})
    seat.unrelate((f"Step {number}", "Gone", "near"))
    seat.archive(f"Other {number}")
    seat.read()
    seat.read(detail="full", limit=2)
    seat.recent()
    seat.open(f"Step {number}")
    seat.details(f"Step {number}")
    seat.merge(f"Other {number}", f"Step {number}")
    seat.delete(f"Step {number}")


@pytest.mark.promise("graph-flat")
def test_every_statement_is_indexed_and_none_more_runs_in_a_larger_graph(sqlite_place: Place) -> None:  # noqa: F811
    with sqlite_place.kernel() as kernel:
        seat = seat_of(kernel, found_in(kernel))
        work(seat, 0)
        database = kernel.database
        with heard(database.write_engine, database.read_engine) as few:
            work(seat, 1)
        for batch in range(5):
            seat.create(*(entity(f"Fill {batch} {number}", "x") for number in range(100)))
        seat.relate(*((f"Fill 0 {number}", "Fill 0 0", "near") for number in range(100)))
        with heard(database.write_engine, database.read_engine) as many:
            work(seat, 2)
        plans: dict[str, str] = {}
        with database.read() as connection:
            for statement, given in many:
                if " graph" in statement:
                    explained = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given)
                    plans[statement] = "; ".join(str(row[3]) for row in explained)
    assert len(plans) > 20
    assert {one: plan for one, plan in plans.items() if "SCAN graph" in plan or "SCAN found" in plan} == {}
    # A page that is full ends; one that is not looks once more.
    assert len(many) <= len(few) + 10
