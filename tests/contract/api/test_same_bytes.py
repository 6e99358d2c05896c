"""Equal notes give equal bytes, wherever their rows lie and however the database reads them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.api import shaken
from tests.e2e.blocks import LANGUAGES, answers, cold, expected, found_with_notes
from tests.e2e.company import Company, Place

pytestmark = pytest.mark.promise("same-bytes")


@pytest.fixture(scope="module")
def companies(place: Place) -> Mapping[str, Company]:
    """A company for each language, with the notes of the document."""
    with place.kernel() as kernel:
        return {language: found_with_notes(kernel, language) for language in LANGUAGES}


def require_golden(place: Place, companies: Mapping[str, Company]) -> None:
    """A kernel that was just opened, as after every start, gives the bytes of the golden files."""
    with place.kernel() as kernel:
        for language, company in companies.items():
            assert answers(cold(kernel, company)) == expected(language)


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32),
    vacuumed=st.booleans(),
    analyzed=st.booleans(),
    indexes=st.sampled_from(["as made", "dropped", "added"]),
    off=st.lists(st.sampled_from(shaken.PLANNER), unique=True),
)
def test_the_bytes_do_not_depend_on_how_the_database_finds_them(
    place: Place,
    companies: Mapping[str, Company],
    seed: int,
    vacuumed: bool,
    analyzed: bool,
    indexes: shaken.Indexes,
    off: list[str],
) -> None:
    shaken.shuffle(place, seed)
    if vacuumed:
        shaken.vacuum(place)
    if analyzed:
        shaken.analyze(place)
    with shaken.other_indexes(place, indexes), shaken.other_plans(place, off):
        require_golden(place, companies)


def test_rows_really_move(place: Place, companies: Mapping[str, Company]) -> None:
    """Or the property above would hold for nothing."""
    query = "SELECT chain_id, space_id FROM note_chain"
    orders = []
    for seed in (1, 2):
        shaken.shuffle(place, seed)
        orders.append(place.ask(f"{query} ORDER BY rowid" if place.db is None else query))
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
