"""`client.api`: every route of the API as a call, the same for threads and for asyncio."""

import asyncio
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tarimba.app import all_routes
from tarimba.client import AsyncTarimba, TarimbaError
from tarimba.client.errors import NotFoundError
from tests.architecture.house import ROOT
from tests.unit.client.scripted import NOTE, Script, problem

SAMPLES = {"int": 1, "bool": True, "bytes": b"text", "float": 0.5}


def calls(api: Any) -> Iterator[tuple[str, str, Any]]:
    """Group, name and method of every call but the ones that go through pages."""
    for group, _ in inspect.getmembers(type(api), lambda one: isinstance(one, property)):
        found = getattr(api, group)
        for name, method in inspect.getmembers(found, inspect.ismethod):
            if not name.startswith(("_", "each")):
                yield group, name, method


def arguments(method: Any) -> dict[str, Any]:
    """Something for every argument that a call needs."""
    given = {}
    for name, one in inspect.signature(method).parameters.items():
        if one.default is inspect.Parameter.empty:
            kind = str(one.annotation)
            given[name] = ["x"] if kind.startswith("Sequence") else SAMPLES.get(kind, "a/b c")
    return given


@pytest.mark.promise("client-api")
def test_the_calls_are_those_of_the_routes() -> None:
    command = [sys.executable, "scripts/generate_client.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.promise("client-api")
def test_every_call_asks_its_own_route_and_both_kinds_ask_alike() -> None:
    script = Script(httpx.Response(200, json={}))
    asked: set[tuple[str, str]] = set()
    # The place of a tile is all that is left of a path.
    paths = [(one.method, one.described.replace("{tile}", ".+")) for one in all_routes()]
    routes = [(method, re.sub(r"\{\w+\}", "[^/]+", path)) for method, path in paths]
    with script.threaded() as client:
        awaited = AsyncTarimba.over(client)
        for threaded, other in zip(calls(client.api), calls(awaited.api), strict=True):
            given = arguments(threaded[2])
            threaded[2](**given)
            asyncio.run(other[2](**given))
            one, same = script.sent[-2:]
            assert threaded[:2] == other[:2]
            assert (one.method, one.url) == (same.method, same.url), threaded[:2]
            if "multipart" not in one.headers.get("content-type", ""):
                assert one.content == same.content
            found = [
                r
                for r in routes
                if r[0] == one.method and re.fullmatch(r[1], one.url.raw_path.decode().split("?")[0])
            ]
            assert found, (threaded[:2], one.url)
            asked.update(found)
    assert asked == {one for one in routes if one[0] != "HEAD"}


@pytest.mark.promise("client-api")
def test_a_write_is_retried_under_one_key_and_what_is_left_out_is_not_sent() -> None:
    script = Script(problem(503, "unavailable"), httpx.Response(201, json={"note": NOTE}))
    with script.threaded() as client:
        made = client.api.notes.create(kind="pitfall", title="t", body="b", valid_until=None)
        client.api.notes.create(kind="pitfall", title="t", body="b", idempotency_key="mine")
    assert made["note"] == NOTE
    first, again, own = script.headers("idempotency-key")
    assert first is not None
    assert (first == again, own) == (True, "mine")
    assert script.bodies[0] == {"kind": "pitfall", "title": "t", "body": "b", "valid_until": None}
    assert "valid_until" not in script.bodies[2]


@pytest.mark.promise("client-api")
def test_errors_are_raised_whether_or_not_a_client_is_strict() -> None:
    script = Script(problem(404, "not_found"))
    with script.threaded() as client:
        with pytest.raises(NotFoundError) as raised:
            client.api.notes.get("0198a1b2-0000-7000-8000-000000000001")
        with pytest.raises(NotFoundError):
            asyncio.run(AsyncTarimba.over(client).api.keys.revoke("k"))
    assert (raised.value.code, raised.value.facts.request_id) == ("not_found", "q1")


@pytest.mark.promise("client-api")
def test_pages_are_asked_for_one_after_the_other() -> None:
    def page(request: httpx.Request) -> httpx.Response:
        at = int(request.url.params.get("cursor", "0"))
        following = str(at + 1) if at < 2 else None
        return httpx.Response(200, json={"items": [{"slug": f"v{at}"}], "next_cursor": following})

    async def listed() -> list[str]:
        async with AsyncTarimba(
            "key", "http://tarimba.example", transport=httpx.MockTransport(page)
        ) as client:
            return [vendor["slug"] async for vendor in client.api.agents.each_vendors(limit=1)]

    assert asyncio.run(listed()) == ["v0", "v1", "v2"]
    with AsyncTarimba(
        "key", "http://tarimba.example", transport=httpx.MockTransport(page)
    ).synchronous as client:
        assert [vendor["slug"] for vendor in client.api.agents.each_vendors()] == ["v0", "v1", "v2"]


def test_an_answer_that_is_no_json_though_it_says_so_is_an_error() -> None:
    broken = httpx.Response(200, content=b"{", headers={"content-type": "application/json"})
    with Script(broken).threaded() as client, pytest.raises(TarimbaError, match="bad_response"):
        client.api.server.me()


def test_forms_carry_files_and_fields() -> None:
    script = Script(httpx.Response(201, json={}))
    with script.threaded() as client:
        client.api.published_skills.publish(file=b"PK", if_match="h")
    (sent,) = script.sent
    assert sent.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert b'name="file"; filename="file"' in sent.content
    assert sent.headers["if-match"] == "h"


def test_a_write_drops_the_block_that_it_may_have_changed() -> None:
    script = Script(httpx.Response(200, json={}))
    with script.threaded() as client:
        drops = client.settled.core.cache.drops
        client.api.notes.list()
        assert client.settled.core.cache.drops == drops
        client.api.notes.retire("n")
        assert client.settled.core.cache.drops > drops
    assert json.dumps(script.headers("accept")).count("json") == 4
