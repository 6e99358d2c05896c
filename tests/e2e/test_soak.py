"""An hour of work leaves memory, open files and the log of changes as they were, and the log verifies."""

from __future__ import annotations

import os

import httpx
import pytest

from tests.e2e.company import Place, found, require_kept
from tests.e2e.soaking import faults, soaking, watched
from tests.fixtures.server import running_server

SECONDS = float(os.environ.get("SOAK_SECONDS", "3600"))
SAMPLES = 60


@pytest.mark.nightly
@pytest.mark.promise("soak")
def test_a_long_time_at_work_grows_nothing_that_should_stay(place: Place) -> None:
    company = found(place, writes_per_hour=1_000_000, active_notes_max=1_000_000)
    with (
        running_server(place.data, place.db, env=place.environment) as server,
        soaking(server, company) as soak,
    ):
        samples = watched(soak, place, SECONDS, SAMPLES)
    assert faults(samples) == []
    failed = {
        one: count for one, count in soak.answers.items() if one[1] >= httpx.codes.INTERNAL_SERVER_ERROR
    }
    assert failed == {}
    with place.kernel() as kernel:
        require_kept(kernel, company, [])
