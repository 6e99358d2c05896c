"""Four server processes on one database: caps, idempotency and the log stay exact."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.e2e.company import MEMORY, NOTE, Company, Kept, Place, found, log_of, require_kept
from tests.e2e.crowd import Shot, at_once, servers
from tests.fixtures.server import RunningServer

NOTES = f"{MEMORY}/notes"
HOUR = 3600


@pytest.fixture(scope="module")
def four(place: Place) -> Iterator[list[RunningServer]]:
    with servers(place, 4) as running:
        yield running


def write(server: RunningServer, company: Company, title: str, **headers: str) -> Shot:
    sent = company.headers("billing") | {name.replace("_", "-"): value for name, value in headers.items()}
    return Shot(server, "POST", NOTES, {"json": NOTE | {"title": title}, "headers": sent})


def statuses(answers: list[httpx.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def require_log(place: Place, company: Company, answers: list[httpx.Response]) -> None:
    """The log has the receipt of each success at its place, no gap and no fork, and agrees with the notes."""
    with place.kernel() as kernel:
        require_kept(kernel, company, [Kept.of(answer) for answer in answers if answer.is_success])
        ids = [stored.document["id"] for stored in log_of(kernel, company)]
    assert len(ids) == len(set(ids))


@pytest.mark.promise("caps-exact")
def test_forty_writes_at_once_store_twenty(place: Place, four: list[RunningServer]) -> None:
    company = found(place)
    before = time.time()
    answers = at_once([write(four[n % 4], company, f"Step {n}") for n in range(40)])
    after = time.time()
    assert statuses(answers) == {201: 20, 429: 20}
    assert place.count("note_version", company) == 20
    created = [created_at(answer.json()["note"]) for answer in answers if answer.is_success]
    limited = [answer for answer in answers if not answer.is_success]
    # The window opens when the oldest write leaves it; the request came at some moment of the race.
    earliest, latest = min(created) + HOUR - after, min(created) + HOUR - before
    for answer in limited:
        assert answer.json()["code"] == "rate_limited"
        assert math.floor(earliest) <= int(answer.headers["retry-after"]) <= math.ceil(latest)
    require_log(place, company, answers)


@pytest.mark.promise("caps-exact")
def test_thirty_writes_at_once_fill_the_last_ten_places(place: Place, four: list[RunningServer]) -> None:
    company = found(place, writes_per_hour=1000)
    fill(four[0], company, 490)
    answers = at_once([write(four[n % 4], company, f"Late {n}") for n in range(30)])
    assert statuses(answers) == {201: 10, 409: 20}
    refused = {answer.json()["code"] for answer in answers if not answer.is_success}
    assert refused == {"agent_memory_full"}
    assert place.count("note_chain", company) == 500
    require_log(place, company, answers)


@pytest.mark.promise("idempotent-writes")
def test_the_same_key_at_once_stores_one_note(place: Place, four: list[RunningServer]) -> None:
    company = found(place)
    shots = [write(four[n % 4], company, "Void invoices", idempotency_key="one") for n in range(8)]
    answers = at_once(shots)
    assert statuses(answers) == {201: 8}
    assert len({answer.text for answer in answers}) == 1
    assert len({answer.headers["tarimba-receipt"] for answer in answers}) == 1
    assert place.count("note_version", company) == 1
    # The seven others count for nothing.
    assert place.count("agent_event", company) == 1
    require_log(place, company, answers)


@pytest.mark.promise("decided-once")
def test_of_many_decisions_at_once_one_counts(place: Place, four: list[RunningServer]) -> None:
    company = found(place, writes="human_only")
    (proposal_id,) = proposed(four[0], company, 1)
    shots = [
        decide(
            four[n % 4], company, ("owner", "reviewer")[n // 4 % 2], proposal_id, ("approve", "reject")[n % 2]
        )
        for n in range(16)
    ]
    answers = at_once(shots)
    assert statuses(answers) == {200: 1, 409: 15}
    assert {answer.json()["code"] for answer in answers if not answer.is_success} == {"conflict"}
    (won,) = [shot for shot, answer in zip(shots, answers, strict=True) if answer.is_success]
    assert place.count("note_version", company) == int(won.path.endswith("approve"))
    require_log(place, company, answers)


@pytest.mark.promise("caps-exact")
def test_approvals_at_once_fill_the_last_places(place: Place, four: list[RunningServer]) -> None:
    company = found(place, writes="human_only", active_notes_max=5)
    waiting = proposed(four[0], company, 12)
    answers = at_once(
        [decide(four[n % 4], company, "reviewer", one, "approve") for n, one in enumerate(waiting)]
    )
    assert statuses(answers) == {200: 5, 409: 7}
    assert place.count("note_version", company) == 5
    require_log(place, company, answers)


@pytest.mark.promise("log-gapless")
def test_reads_and_writes_of_four_processes_make_one_log(place: Place, four: list[RunningServer]) -> None:
    company = found(place, writes_per_hour=1000)
    shots = [write(four[n % 4], company, f"Step {n}") for n in range(24)]
    for number in range(72):
        who = ("billing", "support", "courier")[number % 3]
        options = {"headers": company.headers(who)}
        shots.append(Shot(four[number % 4], "GET", (f"{MEMORY}/block", NOTES)[number % 2], options))
    answers = at_once(shots)
    assert statuses(answers) == {201: 24, 200: 72}
    places = [Kept.of(answer).seq for answer in answers]
    assert len(set(places)) == len(places)
    require_log(place, company, answers)


def proposed(server: RunningServer, company: Company, count: int) -> list[str]:
    """Proposals of an agent in a space where only people write."""
    answers = at_once([write(server, company, f"Step {n}") for n in range(count)])
    return [answer.json()["proposal_id"] for answer in answers]


def decide(server: RunningServer, company: Company, who: str, proposal_id: str, how: str) -> Shot:
    return Shot(server, "POST", f"{MEMORY}/proposals/{proposal_id}/{how}", {"headers": company.headers(who)})


def created_at(note: dict[str, Any]) -> float:
    return datetime.fromisoformat(note["created_at"]).timestamp()


def fill(server: RunningServer, company: Company, count: int) -> None:
    """`count` active notes for the agent, past its hourly cap."""
    source_id = company.sources["billing"]
    row: dict[str, Any] = {
        "source_id": source_id,
        "kind": "pitfall",
        "body": "Text.",
        "tags": [],
        "visibility": "source",
    }
    row |= {"evidence": None, "origin": "agent", "version": 1, "status": "active", "created_by": source_id}
    row |= {"supersedes_note_id": None, "valid_until": None, "created_at": "2026-01-01T00:00:00Z"}
    rows = [
        {**row, "note_id": f"01900000-0000-7000-8000-{number:012x}", "title": f"Step {number}"}
        for number in range(count)
    ]
    headers = company.headers("owner") | {"content-type": "application/json"}
    done = httpx.post(
        f"{server.base_url}{MEMORY}/import",
        content=json.dumps({"notes": rows}),
        headers=headers,
        timeout=120,
    )
    assert done.json()["versions"] == count
