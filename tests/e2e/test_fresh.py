"""What another process changes is in the very next answer of a running server, however hot its caches are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tarimba.identity.service import authenticate
from tarimba.notes import service
from tests.e2e.company import MEMORY, NOTE, Company, Place, declaration
from tests.e2e.crowd import servers

pytestmark = pytest.mark.promise("cached-never-stale")

Call = Callable[..., httpx.Response]


@pytest.fixture(scope="module")
def pair(place: Place) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Clients of two server processes on one database."""
    with (
        servers(place, 2) as (one, other),
        httpx.Client(base_url=one.base_url, timeout=60) as first,
        httpx.Client(base_url=other.base_url, timeout=60) as second,
    ):
        yield first, second


@pytest.fixture
def call(pair: tuple[httpx.Client, httpx.Client], company: Company) -> Call:
    """Asks the first server, or the second one when told."""

    def ask(method: str, path: str, who: str = "billing", server: int = 0, **options: Any) -> httpx.Response:
        return pair[server].request(method, path, headers=company.headers(who), **options)

    return ask


def heat(call: Call, notes: int = 2) -> None:
    """Reads until both servers answer the block out of their caches."""
    for server in (0, 1) * 2:
        assert len(block(call, server)["notes"]) == notes


def block(call: Call, server: int = 0) -> dict[str, Any]:
    answer = call("GET", f"{MEMORY}/block", server=server)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def notes(call: Call) -> list[str]:
    """Two notes, hot in both servers."""
    body = "Close the period first. Only then look for what is still open in it."
    drafts = [NOTE | {"title": title, "body": body} for title in ("One", "Two")]
    written = [call("POST", f"{MEMORY}/notes", json=draft) for draft in drafts]
    heat(call)
    return [answer.json()["note"]["note_id"] for answer in written]


def test_a_key_revoked_on_the_command_line(
    place: Place, company: Company, call: Call, notes: list[str]
) -> None:
    listed = json.loads(
        place.command("keys", "list", "--agent", "billing", "--space", company.slug, "--json")
    )
    place.command("keys", "revoke", listed[0]["key_id"], "--space", company.slug)
    for server in (0, 1):
        for path in ("/block", "/notes", "/tools"):
            assert call("GET", MEMORY + path, server=server).status_code == 401


def test_settings_changed_on_the_command_line(
    place: Place, company: Company, call: Call, notes: list[str], tmp_path: Path
) -> None:
    def apply(**settings: Any) -> None:
        file = tmp_path / "company.toml"
        file.write_text(declaration(company.slug, "en", settings))
        place.command("apply", str(file), "--as", "owner@acme.example")

    whole = block(call)
    apply(block_tokens_default=50)
    for server in (0, 1):
        small = block(call, server)
        assert (small["tokens"] <= 50, small["left_out"]) == (True, 1)
    apply(enabled=False)
    for server in (0, 1):
        off = block(call, server)
        assert (off["enabled"], off["text"], off["etag"]) == (False, "", "am-off")
        assert call("POST", f"{MEMORY}/notes", server=server, json=NOTE).status_code == 409
    apply(enabled=True, block_tokens_default=300)
    for server in (0, 1):
        assert block(call, server)["text"] == whole["text"]


def test_a_note_retired_by_another_process(
    place: Place, company: Company, call: Call, notes: list[str]
) -> None:
    etag = block(call)["etag"]
    with place.kernel() as kernel:
        service.retire(kernel, authenticate(kernel, company.bearers["reviewer"], "cli"), notes[0])
    for server in (0, 1):
        answer = call("GET", f"{MEMORY}/block", server=server, params={})
        assert answer.json()["notes"] == [notes[1]]
        assert answer.json()["etag"] != etag


def test_a_note_written_by_another_server(call: Call, notes: list[str]) -> None:
    for number in range(4):
        written = call("POST", f"{MEMORY}/notes", server=number % 2, json=NOTE | {"title": f"Late {number}"})
        note_id = written.json()["note"]["note_id"]
        assert note_id in block(call, 1 - number % 2)["notes"]
        found = call("POST", f"{MEMORY}/search", server=1 - number % 2, json={"query": f"late {number}"})
        assert found.json()["notes"][0]["note_id"] == note_id


def test_a_note_closed_to_others_is_gone_for_them(company: Company, call: Call) -> None:
    body = NOTE | {"source_id": company.sources["courier"], "visibility": "space"}
    note = call("POST", f"{MEMORY}/notes", "reviewer", json=body).json()["note"]
    heat(call, notes=1)
    call("PATCH", f"{MEMORY}/notes/{note['note_id']}", "reviewer", server=1, json={"visibility": "source"})
    for server in (0, 1):
        assert block(call, server)["notes"] == []
        assert call("GET", f"{MEMORY}/notes/{note['note_id']}", server=server).status_code == 404


def test_a_role_taken_on_the_command_line(place: Place, company: Company, call: Call) -> None:
    assert call("GET", f"{MEMORY}/notes", "auditor").status_code == 200
    place.command("person", "role", "auditor@acme.example", "--remove", "auditor", "--space", company.slug)
    for server in (0, 1):
        refused = call("GET", f"{MEMORY}/notes", "auditor", server=server)
        assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")
    place.command("person", "revoke-tokens", "reviewer@acme.example", "--space", company.slug)
    for server in (0, 1):
        assert call("GET", f"{MEMORY}/notes", "reviewer", server=server).status_code == 401
