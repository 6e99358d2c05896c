"""The URLs of the log, through the skin of the API."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tarimba.http.skin import make_app
from tarimba.receipts.routes import ROUTES
from tests.contract.receipts.world import World
from tests.problems import assert_problem

SEARCH = "/v1/receipts/search"
TELLING = "a-telling-value-that-nobody-repeats"


@pytest.fixture
def client(world: World) -> Iterator[Any]:
    """A client of the app, whoever calls being the auditor (its own type differs between releases)."""
    app = make_app(world.kernel, ROUTES, identify=lambda _kernel, _bearer, _via: world.auditor)
    with TestClient(app, headers={"Authorization": "Bearer anybody"}) as client:
        yield client


def test_a_search_by_all_its_parts_answers_pages(client: Any, world: World) -> None:
    world.read_block([], conversation="conv-1")
    world.read_block([], conversation="conv-1")
    asked = {"conversation_id": "conv-1", "kind": "read", "action": "block.read", "actor": world.source_id}
    asked |= {
        "from": "2026-11-30T13:00:00+02:00",
        "to": "2026-11-30T12:00:00.000001Z",
        "source_id": world.source_id,
    }
    first = client.post(SEARCH, json={**asked, "limit": 1}).json()
    second = client.post(SEARCH, json={**asked, "limit": 1, "cursor": first["next_cursor"]}).json()
    assert [item["seq"] for item in first["items"] + second["items"]] == [2, 1]
    assert "next_cursor" not in second
    assert client.post(SEARCH, json={**asked, "to": "2026-11-30T12:00:00Z"}).json() == {"items": []}


@pytest.mark.promise("searches-receipted")
@pytest.mark.parametrize("by_id", [False, True])
def test_the_answer_names_its_own_receipt(client: Any, by_id: bool) -> None:
    newest = client.post(SEARCH, json={}).json()["items"][0]
    answer = client.get(f"/v1/receipts/{newest['id']}") if by_id else client.post(SEARCH, json={})
    receipt_id, seq, leaf = answer.headers["tarimba-receipt"].split("; ")
    own: dict[str, Any] = client.get(f"/v1/receipts/{receipt_id}").json()
    assert (own["action"], own["kind"]) == ("receipts.search", "admin")
    assert (seq, leaf) == (f"seq={own['seq']}", f"leaf={own['leaf']}")
    if by_id:
        assert answer.json() == newest


REFUSED: list[Any] = [
    {"limit": 0},
    {"limit": 101},
    {"limit": "5"},
    {"kind": TELLING},
    {"action": TELLING},
    {"source_id": TELLING},
    {"note_id": TELLING.upper()},
    {"proposal_id": ""},
    {"actor": "a telling value that nobody repeats"},
    {"actor": "x" * 65},
    {"conversation_id": ""},
    {"conversation_id": "x" * 513},
    {"task_id": "telling\u0000value"},
    {"from": "2026-11-30"},
    {"from": "2026-11-30T12:00:00"},
    {"to": 1_790_000_000},
    {"to": "9999-12-31T23:59:59-12:00"},
    {"cursor": TELLING},
    {"from_": "2026-11-30T12:00:00Z"},
    {TELLING: 1},
    [],
]


def test_a_question_of_another_form_is_refused_without_its_values(client: Any, world: World) -> None:
    size = world.size
    for body in REFUSED:
        assert_problem(client.post(SEARCH, json=body), "invalid_input", 422)
    assert world.size == size


def test_a_moment_before_all_receipts_is_as_good_as_the_first(client: Any) -> None:
    assert client.post(SEARCH, json={"from": "0001-01-01T00:00:00Z"}).json()["items"]
    assert client.post(SEARCH, json={"to": "0001-01-01T00:00:00Z"}).json() == {"items": []}


def test_an_unknown_receipt_is_not_found(client: Any) -> None:
    for path in ("0190ffff-0000-7000-8000-00000000000f", "not-an-identifier", "%C3%A7"):
        assert_problem(client.get(f"/v1/receipts/{path}"), "not_found")
