"""Random operations on a graph and on a plain model of it come to the same, call by call and as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tarimba.errors import Refusal
from tarimba.graph import wire
from tarimba.kernel import Kernel
from tests.contract.graph.plain import Plain, RefusedError
from tests.contract.graph.seat import Seat, entity, pages, seat_of
from tests.e2e.company import Company

NAMES = st.sampled_from(["Ledger", "ledger", "Praça", "praca", "Void", "Dock 7", "Ærø", "\u65e5\u672c"])
TEXTS = st.sampled_from(["Closes at five.", "closes at five.", "É lenta", "Line\nbreak", '"quoted"', "x"])
KINDS = st.sampled_from(["system", "place", ""])
TRIPLES = st.tuples(NAMES, NAMES, st.sampled_from(["needs", "owns"]))
MANY_TEXTS = st.lists(TEXTS, max_size=4)
OPERATIONS = st.one_of(
    st.tuples(st.just("create"), st.lists(st.tuples(NAMES, KINDS, MANY_TEXTS), min_size=1, max_size=4)),
    st.tuples(st.just("relate"), st.lists(TRIPLES, min_size=1, max_size=4)),
    st.tuples(st.just("observe"), st.dictionaries(NAMES, MANY_TEXTS, min_size=1, max_size=3)),
    st.tuples(st.just("delete"), st.lists(NAMES, min_size=1, max_size=2)),
    st.tuples(st.just("forget"), st.dictionaries(NAMES, MANY_TEXTS, min_size=1, max_size=2)),
    st.tuples(st.just("unrelate"), st.lists(TRIPLES, min_size=1, max_size=3)),
    st.tuples(st.just("merge"), st.tuples(NAMES, NAMES)),
    st.tuples(st.just("archive"), NAMES),
    st.tuples(st.just("unarchive"), NAMES),
)
Operation = tuple[str, Any]


def really(seat: Seat, operation: str, given: Any) -> Any:
    if operation == "create":
        return seat.create(*(entity(name, *texts, kind=kind) for name, kind, texts in given))
    if operation in ("observe", "forget", "archive", "unarchive"):
        return getattr(seat, operation)(given)
    return getattr(seat, operation)(*given)


def plainly(plain: Plain, operation: str, given: Any) -> Any:
    if operation == "merge":
        return plain.merge(*given)
    if operation in ("archive", "unarchive"):
        return plain.settle(given, "archived" if operation == "archive" else "active")
    return getattr(plain, operation)(given)


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except (Refusal, RefusedError):
        return "refused"


def whole(seat: Seat, *, archived: bool, merged: bool) -> dict[str, Any]:
    """The whole graph, from as many pages as it takes."""
    told: dict[str, Any] = {"entities": [], "relations": []}
    for sight in pages(
        lambda cursor: seat.read(
            detail="full", include_archived=archived, include_merged=merged, limit=3, cursor=cursor
        )
    ):
        page = wire.sight(sight)
        told["entities"] += page["entities"]
        told["relations"] += page["relations"]
    return told


@pytest.mark.promise("graph-semantics")
@given(operations=st.lists(OPERATIONS, min_size=4, max_size=24))
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_a_graph_does_what_the_plain_model_does(
    opened: Kernel, company: Company, operations: list[Operation]
) -> None:
    seat, plain = seat_of(opened, company), Plain()
    for operation, what in operations:
        came = outcome(lambda: really(seat, operation, what))  # noqa: B023 - run at once
        wanted = outcome(lambda: plainly(plain, operation, what))  # noqa: B023 - run at once
        assert came == wanted
    assert whole(seat, archived=False, merged=False) == plain.shown(archived=False, merged=False)
    assert whole(seat, archived=True, merged=True) == plain.shown(archived=True, merged=True)
    said = sum(len(one.said) for one in plain.things)
    assert seat.counts() == seat.stored() == (len(plain.things), said, len(plain.relations))
