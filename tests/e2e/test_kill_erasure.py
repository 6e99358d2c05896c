"""kill -9 in the middle of an erasure or an import: out of sight at once, and finished by the next start."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tarimba.graph.model import NewEntity
from tests.contract.graph.seat import seat_of
from tests.e2e.company import MEMORY, NOTE, Company, Place, found, require_kept
from tests.fixtures.server import RunningServer, running_server

# The command line with a server that dies when it gets to one function.
DIES = """
import os, signal
from tarimba.erasure import erasing, importing, member_erasing

def die(*_arguments, **_more):
    os.kill(os.getpid(), signal.SIGKILL)

{function} = die
from tarimba.cli import main
main()
"""
SECRET_WORD = "Grimbleshank"
# Longer than an import may be silent before another process may undo it.
LATER = {"TARIMBA_CLOCK_OFFSET_S": "40"}


def until(is_so: Callable[[], bool]) -> None:
    """Looks again and again, for a minute."""
    pause = threading.Event()
    for _ in range(600):
        if is_so():
            return
        pause.wait(0.1)
    raise AssertionError("it never came to be")


def call(server: RunningServer, company: Company, method: str, path: str, **options: Any) -> httpx.Response:
    headers = company.headers(options.pop("who", "owner"))
    return httpx.request(method, f"{server.base_url}{MEMORY}{path}", headers=headers, timeout=60, **options)


def dying(place: Place, function: str) -> Any:
    program = (sys.executable, "-c", DIES.format(function=function))
    return running_server(place.data, place.db, env=place.environment, program=program)


def document(company: Company, body: str) -> dict[str, Any]:
    """Sixty notes, so that they are stored in several parts."""
    source_id = company.sources["billing"]
    row: dict[str, Any] = {
        "source_id": source_id,
        "created_by": source_id,
        "tags": [],
        "visibility": "source",
    }
    row |= {
        "evidence": None,
        "origin": "agent",
        "version": 1,
        "supersedes_note_id": None,
        "valid_until": None,
    }
    row |= {"status": "active", "created_at": "2026-01-01T00:00:00Z", **NOTE, "body": body}
    return {
        "notes": [row | {"note_id": f"01900000-0000-7000-8000-{number:012x}"} for number in range(60)],
    }


def require_gone(place: Place, company: Company) -> None:
    """No row, and on SQLite no byte; the log still verifies."""
    until(lambda: place.count("note_version", company) + place.count("job", company) == 0)
    assert place.count("note_chain", company) == 0
    if place.db is None:
        files = [path for path in place.data.rglob("*") if path.is_file()]
        assert not [path.name for path in files if SECRET_WORD.encode() in path.read_bytes()]
    with place.kernel() as kernel:
        require_kept(kernel, company, [])


@pytest.mark.promise("crash-loses-nothing")
def test_an_erasure_that_was_killed_is_finished(place: Place) -> None:
    company = found(place)
    source = f"?source_id={company.sources['billing']}"
    with dying(place, "erasing.scrub") as server:
        taken = call(server, company, "POST", "/import", json=document(company, SECRET_WORD))
        assert taken.json()["versions"] == 60
        with pytest.raises(httpx.TransportError):
            call(server, company, "DELETE", f"/notes{source}")
        server.process.wait()
        server.kill9()
    assert place.count("note_version", company) == 60
    with running_server(place.data, place.db, env=place.environment) as server:
        assert call(server, company, "GET", "/notes").json()["items"] == []
        assert json.loads(call(server, company, "GET", f"/export{source}").text)["notes"] == []
        require_gone(place, company)
        assert (
            call(server, company, "POST", "/import", json=document(company, "Kept.")).json()["versions"] == 60
        )


@pytest.mark.promise("crash-loses-nothing")
def test_an_import_that_was_killed_is_undone(place: Place) -> None:
    company = found(place)
    with dying(place, "importing._Import.show") as server:
        with pytest.raises(httpx.TransportError):
            call(server, company, "POST", "/import", json=document(company, SECRET_WORD))
        server.process.wait()
        server.kill9()
    assert place.count("note_version", company) == 60
    with running_server(place.data, place.db, env=place.environment | LATER) as server:
        assert call(server, company, "GET", "/notes").json()["items"] == []
        assert call(server, company, "GET", "/block", who="billing").json()["notes"] == []
        require_gone(place, company)
        assert (
            call(server, company, "POST", "/import", json=document(company, "Kept.")).json()["versions"] == 60
        )


@pytest.mark.promise("crash-loses-nothing")
def test_an_erasure_of_a_member_that_was_killed_is_finished(sqlite_place: Place) -> None:
    # On PostgreSQL each stage is interrupted in the process itself, at less cost.
    place = sqlite_place
    company = found(place)
    with place.kernel() as kernel:
        seat = seat_of(kernel, company)
        seat.create(NewEntity(SECRET_WORD, "system", ()))
    scope = seat.scope
    home = place.data / "spaces" / scope.space_id / "subscriptions" / scope.subscription_id
    home = home / "agents" / scope.source_id / "members" / scope.person_id
    (home / "workspace").mkdir(parents=True)
    (home / "workspace" / "notes.md").write_text(SECRET_WORD)
    with dying(place, "member_erasing._empty_disk") as server:
        url = f"{server.base_url}/v1/members/{scope.person_id}/data"
        with pytest.raises(httpx.TransportError):
            httpx.request("DELETE", url, headers=company.headers("member"), timeout=60)
        server.process.wait()
        server.kill9()
    assert place.count("graph", company) == 0
    assert home.exists()
    with running_server(place.data, place.db, env=place.environment | LATER):
        require_gone(place, company)
    assert not home.exists()
