"""Every server process gives the same bytes, whatever its seed, its locale and what it was asked before."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.e2e.blocks import Ask, answers, expected, found_with_notes
from tests.e2e.company import MEMORY, Company, Place
from tests.fixtures.server import RunningServer, running_server

pytestmark = pytest.mark.promise("same-bytes")

MACHINES = (
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "31337", "LC_ALL": "pt_BR.UTF-8", "TZ": "Asia/Tokyo", "PYTHONUTF8": "0"},
)


@pytest.fixture(scope="module")
def notes(place: Place) -> Company:
    with place.kernel() as kernel:
        return found_with_notes(kernel, "pt")


@pytest.fixture(scope="module", params=MACHINES, ids=["seed-0", "seed-31337"])
def machine(request: pytest.FixtureRequest, place: Place) -> Iterator[RunningServer]:
    with running_server(place.data, place.db, env=place.environment | request.param) as server:
        yield server


def asking(client: httpx.Client, company: Company) -> Ask:
    def ask(agent: str, query: str) -> bytes:
        response = client.get(f"{MEMORY}/block?{query}", headers=company.headers(agent))
        assert response.status_code == 200
        assert f'"{response.json()["etag"]}"' == response.headers["etag"]
        return response.content

    return ask


def test_cold_hot_and_after_a_restart(machine: RunningServer, notes: Company) -> None:
    with httpx.Client(base_url=machine.base_url, timeout=60) as client:
        first, second = answers(asking(client, notes)), answers(asking(client, notes))
    machine.restart()
    with httpx.Client(base_url=machine.base_url, timeout=60) as client:
        third = answers(asking(client, notes))
    assert first == second == third == expected("pt")


def test_a_conversation_changes_no_byte(machine: RunningServer, notes: Company) -> None:
    with httpx.Client(base_url=machine.base_url, timeout=60) as client:
        ask = asking(client, notes)
        plain = ask("billing", "tags=erp").partition(b',"receipt_id"')[0]
        for number in range(3):
            query = f"tags=erp&conversation_id=c-{number}&task_id=t-{number}"
            assert ask("billing", query).partition(b',"receipt_id"')[0] == plain
