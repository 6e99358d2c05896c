"""Several server processes on one PostgreSQL, agents writing one member's graph through all of them at once."""

from __future__ import annotations

import json
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.contract.graph.seat import pages, seat_of, token_of
from tests.contract.notes.world import at_once
from tests.e2e.company import Place, found_in
from tests.fixtures.server import RunningServer

SECRET = "a secret that signs tokens in tests"
WRITERS = 4
EACH = 10


def write(url: str, token: str, who: str) -> None:
    """One agent: an entity a call, each acknowledged."""
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        for number in range(EACH):
            one = {"name": f"{who} {number}", "entityType": "step", "observations": ["was done"]}
            params = {"name": "create_entities", "arguments": {"entities": [one]}}
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            answer = client.post("/v1/mcp", json=message)
            assert answer.status_code == 200, answer.text
            (text,) = answer.json()["result"]["content"]
            assert [made["name"] for made in json.loads(text["text"])["entities"]] == [one["name"]]


@pytest.mark.promise("graph-loses-nothing")
@pytest.mark.parametrize("place", ["postgres"], indirect=True)
@pytest.mark.parametrize("count", [3, pytest.param(4, marks=pytest.mark.nightly)])
def test_servers_on_one_database_lose_nothing(place: Place, tmp_path: Path, count: int) -> None:
    environment = {**place.environment, "TARIMBA_MCP_TOKEN_SECRET": SECRET}
    with place.kernel() as kernel, ExitStack() as running:
        seat = seat_of(kernel, found_in(kernel))
        token = token_of(seat, SECRET)
        servers = [
            RunningServer(place.data, place.db, environment, tmp_path / f"server-{at}.log")
            for at in range(count)
        ]
        assert at_once([server.start for server in servers]) == ["ok"] * count
        for server in servers:
            running.callback(server.stop)
        work = [
            partial(write, server.base_url, token, f"{at} {writer}")
            for at, server in enumerate(servers)
            for writer in range(WRITERS)
        ]
        assert at_once(work) == ["ok"] * len(work)
        read = pages(lambda cursor: seat.read(detail="minimal", limit=1_000, cursor=cursor))
        names = {one.name for sight in read for one in sight.entities}
        ids = [(at, writer) for at in range(count) for writer in range(WRITERS)]
        assert names == {f"{at} {writer} {number}" for at, writer in ids for number in range(EACH)}
        assert seat.counts() == seat.stored() == (len(names), len(names), 0)
