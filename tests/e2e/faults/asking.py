"""Clients that ask through a fault, and what their answers may be."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx

from tests.e2e.company import MEMORY, Company, Place
from tests.e2e.load import Load, Promised, under_load
from tests.e2e.test_kill import require_promised
from tests.fixtures.server import RunningServer

# Until a condition holds, on a machine that does much else.
PATIENCE_SECONDS = 120.0
POLL_SECONDS = 0.05
FREE = {"writes_per_hour": 1_000_000, "active_notes_max": 1_000_000}

__all__ = ["FREE", "Load", "Promised", "block", "require_promised", "require_refused", "under_load", "until"]


def until(holds: Callable[[], bool]) -> None:
    """Returns once it holds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(POLL_SECONDS)


def block(server: RunningServer, company: Company) -> httpx.Response:
    return httpx.get(f"{server.base_url}{MEMORY}/block", headers=company.headers("billing"), timeout=120)


def require_refused(server: RunningServer, company: Company) -> None:
    """Asks for the block until it is refused, as somebody is who can't be given a receipt: 503, and when to ask again.

    Asserts that it is one or the other until then.
    """
    answers: list[httpx.Response] = []

    def is_refused() -> bool:
        answers.append(block(server, company))
        return answers[-1].status_code == httpx.codes.SERVICE_UNAVAILABLE

    until(is_refused)
    silent = [answer.text for answer in answers[:-1] if "tarimba-receipt" not in answer.headers]
    assert not silent, silent[:3]
    refused = answers[-1]
    assert "tarimba-receipt" not in refused.headers
    assert int(refused.headers["retry-after"]) >= 1
    assert (refused.json()["code"], refused.json()["detail"][-1]) == ("unavailable", ".")


def require_recovered(server: RunningServer, place: Place, company: Company, promised: Promised) -> None:
    """Asserts that the same process answers again, and that all it ever answered is there and verifies."""
    until(lambda: block(server, company).is_success)
    require_promised(place, company, promised)
