"""The front of `/mcp`: who is let in, with what, and how the others are told."""

import json
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from tarimba.storage.tables import agent_key
from tests.contract.mcp.served import Served
from tests.problems import assert_problem

# What the front decides is the same on every database.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
CALL: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "search_agent_memory", "arguments": {"query": "anything"}},
}


def test_a_bare_request_without_a_handshake_is_answered_in_json(served: Served) -> None:
    response = served.post(CALL)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert "mcp-session-id" not in response.headers
    assert response.json()["result"]["structuredContent"]["notes"] == []


def test_without_a_known_key_nobody_gets_in(served: Served) -> None:
    for key in (None, "secretive-and-unknown", "tar_sk_live_0123456789abcdef_" + "x" * 32):
        assert_problem(served.post(LIST, key=key), "unauthenticated")


def test_two_keys_in_one_request_are_none(served: Served) -> None:
    bearer = f"Bearer {served.world.bearers['billing']}"
    headers = [("authorization", bearer), ("authorization", bearer), ("content-type", "application/json")]
    assert_problem(httpx.post(served.url, json=LIST, headers=headers), "unauthenticated")


def test_a_revoked_key_is_out_at_its_next_call(served: Served) -> None:
    assert served.post(LIST).status_code == 200
    key_id = served.world.caller("billing").key_id
    with served.world.kernel.database.write() as connection:
        connection.execute(update(agent_key).where(agent_key.c.key_id == key_id).values(revoked_at=1))
    assert_problem(served.post(LIST), "unauthenticated")


def test_a_key_that_may_not_read_notes_is_out(served: Served) -> None:
    for scopes in ("track", "agent_memory:write"):
        served.world.add_key(scopes, "billing", scopes)
        assert_problem(served.post(LIST, key=scopes), "scope_missing")


def test_only_agents_are_served(served: Served) -> None:
    for who in ("admin", "owner", "reviewer"):
        assert_problem(served.post(LIST, key=who), "scope_missing")


def test_only_post_is_served(served: Served) -> None:
    for method in ("GET", "DELETE", "PUT", "HEAD", "OPTIONS"):
        response = httpx.request(method, served.url, headers={"accept": "text/event-stream"})
        assert (response.status_code, response.headers["allow"]) == (405, "POST")
        if method != "HEAD":
            assert_problem(response, "method_not_allowed")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_above_the_limit_is_refused_however_it_is_sent(served: Served, chunked: bool) -> None:
    body = b'"' + b"x" * (1024 * 1024) + b'"'
    headers = {
        "authorization": f"Bearer {served.world.bearers['billing']}",
        "content-type": "application/json",
        "accept": "application/json",
    }
    response = httpx.post(served.url, content=iter([body]) if chunked else body, headers=headers, timeout=60)
    assert response.status_code == 413
    assert response.json()["code"] == "too_large"


def test_a_body_at_the_limit_is_served(served: Served) -> None:
    body = json.dumps(LIST).encode()
    assert served.post(content=body + b" " * (1024 * 1024 - len(body))).status_code == 200


def test_the_names_of_this_server_are_served(served: Served) -> None:
    for host in ("localhost", "LOCALHOST:1", "[::1]:8750", "127.0.0.1", "memory.acme.example"):
        assert served.post(LIST, host=host, origin=f"http://{host}").status_code == 200, host


def test_a_foreign_name_is_refused(served: Served) -> None:
    evil = "evil.example"
    for host in (evil, f"127.0.0.1.{evil}", f"memory.acme.example.{evil}", "a@127.0.0.1", ""):
        problem = assert_problem(served.post(LIST, host=host), "invalid_input", 421)
        assert "TARIMBA_PUBLIC_URL" in problem["detail"]
        assert "evil" not in json.dumps(problem)


def test_a_page_from_elsewhere_is_refused(served: Served) -> None:
    for origin in ("https://evil.example", "null", "file://", "http://127.0.0.1.evil.example"):
        assert_problem(served.post(LIST, origin=origin), "invalid_input", 403)


@pytest.mark.parametrize("query", ["subscripton=north", "subscription=&more=1", "=", "Subscription=north"])
def test_a_query_that_is_not_known_is_refused_and_the_known_one_named(served: Served, query: str) -> None:
    served.url += f"?{query}"
    problem = assert_problem(served.post(LIST), "invalid_input", 422, public=("subscription",))
    assert "`subscription`" in problem["detail"]
    assert "subscripton" not in problem["detail"]


def test_a_body_of_another_type_is_refused(served: Served) -> None:
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp"):
        assert_problem(served.post(LIST, content_type=content_type), "unsupported_media_type")


HOSTILE = [
    b"",
    b"secretive",
    b"\xff\xfe",
    b"{" * 100_000,
    b"[" * 100_000,
    b'{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":NaN,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":true,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":{"secretive":"secretive"},"method":"tools/list"}',
    b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1,"method":["secretive"]}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":["secretive"]}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","secretive":1}',
    b'{"jsonrpc":"2.0","id":1,"result":{"secretive":1}}',
    b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["secretive"]}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":"secretive"}}',
]


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_what_is_no_message_is_refused_and_not_repeated(served: Served, version: str) -> None:
    for body in HOSTILE:
        response = served.post(content=body, version=version)
        assert response.status_code in {400, 422}, body[:80]
        problem = assert_problem(response, "invalid_input", response.status_code)
        assert "secretive" not in json.dumps(problem), body[:80]


BROKEN: list[dict[str, Any]] = [
    {**LIST, "params": {"cursor": {"secretive": "secretive"}}},
    {**LIST, "params": {"_meta": "secretive"}},
    {**CALL, "params": {**CALL["params"], "_meta": ["secretive"]}},
    {**CALL, "params": {"name": "remember", "arguments": {"title": "secretive\ud800"}}},
    {**LIST, "method": "initialize", "params": {"protocolVersion": ["secretive"]}},
    {**LIST, "method": "resources/read", "params": {"uri": "secretive"}},
]


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28", None])
def test_broken_parameters_break_nothing_and_are_not_repeated(served: Served, version: str | None) -> None:
    for message in BROKEN:
        response = served.post(message, version=version)
        assert response.status_code < 500, message
        assert "secretive" not in response.text, message
    assert served.post(CALL).status_code == 200


def test_a_notification_is_taken_in_silence(served: Served) -> None:
    response = served.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (response.status_code, response.text in {"", "null"}) == (202, True)
