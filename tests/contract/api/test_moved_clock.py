"""The clock of the machine goes back an hour and on a day: order, cursors, limits and receipts stay right."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from tarimba.clock import DAY, HOUR, SECOND
from tests.contract.api.served import Api
from tests.e2e.company import MEMORY, NOTE, Company, log_of, require_kept

pytestmark = pytest.mark.promise("clock-never-goes-back")

# Back an hour, on a day, and back to where it was.
MOVES = (0, -HOUR, DAY, 0)


@pytest.fixture
def api(api: Api) -> Iterator[Api]:
    yield api
    api.kernel.clock.offset_us = 0


def list_all(api: Api, company: Company, limit: int) -> list[dict[str, Any]]:
    """Every page; the clock is moved between them."""
    notes: list[dict[str, Any]] = []
    cursor = ""
    for page in range(100):
        api.kernel.clock.offset_us = MOVES[page % len(MOVES)]
        url = f"{MEMORY}/notes?limit={limit}" + (f"&cursor={cursor}" if cursor else "")
        answer = api.call(company, "billing", "GET", url).json()
        notes += answer["items"]
        if not answer.get("next_cursor"):
            return notes
        cursor = answer["next_cursor"]
    raise AssertionError("the list never ends")


def moments(values: list[str]) -> list[datetime]:
    return [datetime.fromisoformat(value) for value in values]


def test_order_is_that_of_the_writes(api: Api, company: Company) -> None:
    written = []
    for number in range(8):
        api.kernel.clock.offset_us = MOVES[number % len(MOVES)]
        written.append(api.write(company, title=f"Step {number}", tags=["erp"]))
    ids = [note["note_id"] for note in written]
    assert [note["note_id"] for note in list_all(api, company, 3)] == ids[::-1]
    block = api.call(company, "billing", "GET", f"{MEMORY}/block?max_tokens=2000").json()
    assert block["notes"] == ids
    found = api.call(company, "billing", "POST", f"{MEMORY}/search", json={"query": "step", "limit": 20})
    assert [note["note_id"] for note in found.json()["notes"]] == ids
    times = moments([note["created_at"] for note in written])
    assert times == sorted(times)


def test_the_time_stands_still_until_the_clock_has_caught_up(api: Api, company: Company) -> None:
    first = api.write(company)
    api.kernel.clock.offset_us = -HOUR
    second, third = api.write(company), api.write(company)
    assert moments([first["created_at"]]) <= moments([second["created_at"]])
    assert second["created_at"] == third["created_at"]


def test_a_cap_is_never_forgiven_by_a_clock_that_goes_back(api: Api) -> None:
    company = api.found(writes_per_hour=2)

    def status() -> int:
        return api.call(company, "billing", "POST", f"{MEMORY}/notes", json=NOTE).status_code

    assert [status(), status()] == [201, 201]
    for offset in (0, -HOUR, -DAY):
        api.kernel.clock.offset_us = offset
        limited = api.call(company, "billing", "POST", f"{MEMORY}/notes", json=NOTE)
        assert limited.status_code == 429
        # The space's own time stands still, so the wait is never told longer than the window.
        assert 3000 < int(limited.headers["retry-after"]) <= 3600
    api.kernel.clock.offset_us = DAY
    assert [status(), status(), status()] == [201, 201, 429]
    api.kernel.clock.offset_us = 0
    assert status() == 429


def test_retry_after_holds_to_the_second(api: Api) -> None:
    company = api.found(writes_per_hour=1)
    api.write(company)
    limited = api.call(company, "billing", "POST", f"{MEMORY}/notes", json=NOTE)
    api.kernel.clock.offset_us = int(limited.headers["retry-after"]) * SECOND
    assert api.call(company, "billing", "POST", f"{MEMORY}/notes", json=NOTE).status_code == 201


def test_a_note_that_ended_stays_ended(api: Api, company: Company) -> None:
    end = datetime.fromtimestamp((api.kernel.clock.now_us() + HOUR) / SECOND).astimezone().isoformat()
    note = api.write(company, valid_until=end)

    def shown() -> list[str]:
        ids: list[str] = api.call(company, "billing", "GET", f"{MEMORY}/block").json()["notes"]
        return ids

    assert shown() == [note["note_id"]]
    api.kernel.clock.offset_us = DAY
    assert shown() == []
    # Time given to a space is never taken back.
    api.kernel.clock.offset_us = 0
    assert shown() == []
    assert (
        api.call(company, "billing", "POST", f"{MEMORY}/search", json={"query": "void"}).json()["notes"] == []
    )


def test_receipts_are_in_order_and_verify(api: Api, company: Company) -> None:
    for number in range(12):
        api.kernel.clock.offset_us = MOVES[number % len(MOVES)]
        api.write(company, title=f"Step {number}")
        api.call(company, "billing", "GET", f"{MEMORY}/block")
        api.call(company, "billing", "GET", f"{MEMORY}/notes")
    times = moments([stored.document["at"] for stored in log_of(api.kernel, company)])
    assert times == sorted(times)
    require_kept(api.kernel, company, [])


def test_a_key_is_remembered_for_a_day_of_the_space(api: Api, company: Company) -> None:
    def write() -> Any:
        headers = {"idempotency-key": "one"}
        return api.call(company, "billing", "POST", f"{MEMORY}/notes", json=NOTE, headers=headers).json()

    first = write()
    for offset in (-HOUR, -DAY, DAY - 60 * SECOND):
        api.kernel.clock.offset_us = offset
        assert write() == first
    api.kernel.clock.offset_us = DAY + SECOND
    assert write() != first
