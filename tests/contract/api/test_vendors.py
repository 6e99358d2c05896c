"""Every visibility, every reader, every route: what may not be read might as well not exist."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.contract.api.served import UNKNOWN, Api
from tests.e2e.company import MEMORY, Company

pytestmark = pytest.mark.promise("nothing-crosses")

PEOPLE = {"owner", "reviewer", "manager", "operator", "auditor"}
WHOLE_SPACE = {"admin", *PEOPLE}
READERS: Mapping[str, set[str]] = {
    "source": {"billing", *WHOLE_SPACE},
    "vendor": {"billing", "support", *WHOLE_SPACE},
    "space": {"billing", "support", "courier", *WHOLE_SPACE},
    # Open to all at first; its newest version is the agent's own again.
    "closed": {"billing", *WHOLE_SPACE},
}
CALLERS = ("billing", "support", "courier", "member", *sorted(WHOLE_SPACE))
BY_ID: Mapping[str, tuple[str, str, Any]] = {
    "get": ("GET", "", None),
    "versions": ("GET", "/versions", None),
    "outcomes": ("POST", "/outcomes", {"helped": True}),
    "patch": ("PATCH", "", {"body": "Quokka: lock it, then close."}),
    "retire": ("POST", "/retire", None),
}
# What a caller who reads the note is answered. An agent needs a person to change what a person wrote.
ANSWERS: Mapping[str, Mapping[str, int]] = {
    "billing": {"get": 200, "versions": 200, "outcomes": 202, "patch": 202, "retire": 202},
    "support": {"get": 200, "versions": 200, "outcomes": 202, "patch": 403, "retire": 403},
    "courier": {"get": 200, "versions": 200, "outcomes": 202, "patch": 403, "retire": 403},
    "admin": {"get": 200, "versions": 200, "outcomes": 403, "patch": 200, "retire": 200},
    "owner": {"get": 200, "versions": 200, "outcomes": 403, "patch": 200, "retire": 200},
    "reviewer": {"get": 200, "versions": 200, "outcomes": 403, "patch": 200, "retire": 200},
    "manager": {"get": 200, "versions": 200, "outcomes": 403, "patch": 403, "retire": 403},
    "operator": {"get": 200, "versions": 200, "outcomes": 403, "patch": 403, "retire": 403},
    "auditor": {"get": 200, "versions": 200, "outcomes": 403, "patch": 403, "retire": 403},
}


@dataclass(frozen=True)
class Two:
    """A company, and another one that shares its database."""

    api: Api
    home: Company
    abroad: Company

    def callers(self) -> list[tuple[Company, str]]:
        return [(space, who) for space in (self.home, self.abroad) for who in CALLERS]

    def reads(self, space: Company, who: str, visibility: str) -> bool:
        return space is self.home and who in READERS[visibility]

    def note(self, visibility: str) -> dict[str, Any]:
        """A note of `billing` that a person wrote and opened, if it is open."""
        opened = {"closed": "space"}.get(visibility, visibility)
        note = self.api.write(self.home, "reviewer", title="Quokka invoices", visibility=opened)
        if visibility == "closed":
            path = f"{MEMORY}/notes/{note['note_id']}"
            change = {"visibility": "source", "body": "Quokka: closed now."}
            note = self.api.call(self.home, "reviewer", "PATCH", path, json=change).json()
        return note


@pytest.fixture
def two(api: Api) -> Two:
    return Two(api, api.found(), api.found())


def said(response: httpx.Response) -> tuple[int, dict[str, str], Any]:
    """An answer without what differs from any answer to the next."""
    drop = {"x-request-id", "date", "content-length", "tarimba-receipt"}
    headers = {name: value for name, value in response.headers.items() if name not in drop}
    body = response.json()
    if isinstance(body, dict):
        body = {name: value for name, value in body.items() if name not in ("request_id", "receipt_id")}
    return response.status_code, headers, body


@pytest.mark.parametrize("visibility", READERS)
@pytest.mark.parametrize("route", BY_ID)
def test_an_id_that_is_not_read_is_an_id_that_never_was(two: Two, visibility: str, route: str) -> None:
    note = two.note(visibility)
    ids = {note["note_id"], note["supersedes_note_id"] or note["note_id"]}

    def call(space: Company, who: str, note_id: str) -> httpx.Response:
        method, tail, body = BY_ID[route]
        path = f"{MEMORY}/notes/{note_id}{tail}"
        return two.api.call(space, who, method, path, **({"json": body} if body else {}))

    for space, who in two.callers():
        if not two.reads(space, who, visibility):
            never = said(call(space, who, UNKNOWN))
            assert never[0] in (403, 404)
            assert [said(call(space, who, note_id)) for note_id in ids] == [never] * len(ids)
    for who in sorted(READERS[visibility]):
        fresh = two.note(visibility)["note_id"] if who in ("admin", "owner", "reviewer") else note["note_id"]
        assert call(two.home, who, fresh).status_code == ANSWERS[who][route], who


@pytest.mark.parametrize("visibility", READERS)
def test_no_way_of_finding_finds_what_is_not_read(two: Two, visibility: str) -> None:
    note = two.note(visibility)
    ways: list[Callable[[Company, str], httpx.Response]] = [
        lambda space, who: two.api.call(space, who, "GET", f"{MEMORY}/notes?limit=100"),
        lambda space, who: two.api.call(
            space, who, "GET", f"{MEMORY}/notes?source_id={two.home.sources['billing']}&status=active"
        ),
        lambda space, who: two.api.call(
            space, who, "POST", f"{MEMORY}/search", json={"query": "quokka", "limit": 20}
        ),
        lambda space, who: two.api.call(space, who, "GET", f"{MEMORY}/block?max_tokens=2000"),
        lambda space, who: two.api.tool(space, who, "search_agent_memory", query="quokka"),
    ]
    for way in ways:
        for space, who in two.callers():
            answer = way(space, who)
            if two.reads(space, who, visibility) and answer.is_success:
                assert note["note_id"] in answer.text or "Quokka" in answer.text
            else:
                # Nothing but the caller's own word may be in the answer.
                assert note["note_id"] not in answer.text
                assert "Quokka" not in answer.text


@pytest.mark.parametrize("who", ["courier", "support"])
def test_answers_do_not_change_with_what_is_hidden(two: Two, who: str) -> None:
    for number in range(4):
        two.api.write(two.home, who, title=f"Quokka step {number}", tags=["erp"], body="Wait. " * 30)
    before = everything(two, who)
    for number in range(9):
        two.api.write(two.home, "billing", title=f"Quokka of another {number}", tags=["erp"])
    two.note("closed")
    after = everything(two, who)
    assert after == before


def everything(two: Two, who: str) -> list[Any]:
    """All that an agent can ask about what it reads, counts and cursors included."""
    get = [
        "/notes?limit=100", "/notes?tag=erp", "/notes?kind=procedure&limit=2", "/notes?status=retired",
        f"/notes?source_id={two.home.sources['billing']}", f"/notes?source_id={UNKNOWN}",
        "/block?max_tokens=120", "/block?tags=erp&view=task:collect", "/tools",
    ]  # fmt: skip
    asked = [{"query": "quokka"}, {"query": "another"}, {"query": "closed", "tags": ["erp"]}]
    answers = [two.api.call(two.home, who, "GET", MEMORY + path) for path in get]
    answers += [two.api.call(two.home, who, "POST", f"{MEMORY}/search", json=body) for body in asked]
    answers.append(two.api.call(two.home, who, "GET", "/v1/sources/me"))
    tool = two.api.tool(two.home, who, "search_agent_memory", query="another")
    assert tool.is_success
    found = tool.json()["result"]["structuredContent"]
    return [*map(said, answers), found["notes"]]


def test_an_unreadable_agent_is_an_agent_that_never_was(two: Two) -> None:
    """Naming another space's agent, as whoever may name agents, tells nothing about it."""
    source_id = two.home.sources["billing"]
    two.note("space")
    for who in ("owner", "admin", "reviewer"):
        for method, path, body in (
            ("GET", f"{MEMORY}/export?source_id=%s", None),
            ("DELETE", f"{MEMORY}/notes?source_id=%s", None),
            ("POST", f"{MEMORY}/notes", {"kind": "pitfall", "title": "t", "body": "b", "source_id": "%s"}),
            ("GET", "/v1/admin/agents/%s/keys", None),
            ("PATCH", "/v1/admin/agents/%s", {"name": "Other"}),
        ):
            answers = []
            for asked in (UNKNOWN, source_id):
                sent = {"json": {**body, "source_id": asked} if "source_id" in body else body} if body else {}
                answers.append(said(two.api.call(two.abroad, who, method, path.replace("%s", asked), **sent)))
            assert answers[0] == answers[1]
    assert two.api.place.count("note_version", two.home) == 1
