"""One question to a model server over HTTP: a whole answer within its time, or none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from tarimba.distill.chat import Chat, DeclinedError
from tarimba.distill.model import SilentModelError
from tarimba.exchange import BODY_MAX
from tarimba.settings import Settings
from tests.contract.client.tiny import Behaviour, drip, silence
from tests.fixtures.model_server import GOOD, JSON, hangs_up, model_server, note, raw, says, streams

MESSAGES = [{"role": "system", "content": "We ask."}, {"role": "user", "content": "segredo ção 🙂"}]
SCHEMA: Mapping[str, Any] = {"type": "object"}


@contextmanager
def chat(url: str, **options: Any) -> Iterator[Chat]:
    settings = Settings.model_validate({"llm_url": url, "llm_timeout_s": 30, **options})
    opened = Chat(settings)
    try:
        yield opened
    finally:
        opened.close()


def asked(*behaviours: Behaviour, **options: Any) -> str:
    with model_server(*behaviours) as server, chat(server.url, **options) as opened:
        return opened.complete(MESSAGES, SCHEMA)


def silent(*behaviours: Behaviour, **options: Any) -> tuple[str, bool]:
    """Why there was no answer, and whether to try again."""
    with pytest.raises(SilentModelError) as raised:
        asked(*behaviours, **options)
    return raised.value.reason, raised.value.again


def test_the_answer_is_held_to_the_schema_and_the_key_goes_along() -> None:
    options = {"llm_model": "small-1", "llm_api_key": "made-up-key"}
    with model_server(note()) as server, chat(server.url, **options) as opened:
        assert json.loads(opened.complete(MESSAGES, SCHEMA)) == GOOD
        (head,), (body,) = server.heads, server.asked
    assert head.startswith("post /v1/chat/completions http/1.1")
    assert "authorization: bearer made-up-key" in head
    form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}
    assert body == {"messages": MESSAGES, "stream": False, "model": "small-1", "response_format": form}


def test_without_a_key_or_a_model_none_is_sent() -> None:
    with model_server(note()) as server, chat(f"{server.url}/") as opened:
        opened.complete(MESSAGES, SCHEMA)
        assert "authorization" not in server.heads[0]
        assert server.heads[0].startswith("post /v1/chat/completions ")
        assert "model" not in server.asked[0]


@pytest.mark.parametrize("status", ["400 Bad Request", "415 No", "422 No", "501 Not Implemented"])
def test_a_server_that_knows_no_schema_is_asked_without_one(status: str) -> None:
    with model_server(raw(b"{}", status), note()) as server, chat(server.url) as opened:
        assert json.loads(opened.complete(MESSAGES, SCHEMA)) == GOOD
        first, second = server.asked
    assert "response_format" in first
    assert "response_format" not in second


@pytest.mark.parametrize(
    "status", ["500 Broken", "502 Bad Gateway", "503 Busy", "429 Slow down", "408 Timeout"]
)
def test_a_server_in_trouble_is_asked_again_later(status: str) -> None:
    assert silent(raw(b"{}", status)) == (f"status_{status[:3]}", True)


@pytest.mark.parametrize("status", ["401 Who", "403 No", "404 Nowhere", "400 Bad Request"])
def test_a_refusal_is_final(status: str) -> None:
    assert silent(raw(b"{}", status)) == (f"status_{status[:3]}", False)


def test_a_redirect_is_not_followed() -> None:
    with model_server(note()) as other:
        moved = raw(b"", "307 Moved", f"Location: {other.url}/chat/completions\r\n")
        assert silent(moved) == ("status_307", False)
        assert not other.server.requests


@pytest.mark.parametrize(
    "behaviour",
    [
        raw(b""),
        raw(b"<html>"),
        raw(b"[" * 100_000),
        raw(b"null"),
        raw(b'{"choices": []}'),
        raw(b'{"choices": {}}'),
        raw(b'{"choices": [{"message": "text"}]}'),
        raw(b'{"error": {"message": "no"}}'),
        raw(b"\xff\xfe"),
        streams(json.dumps(GOOD)),
    ],
)
def test_what_is_no_answer_is_none(behaviour: Behaviour) -> None:
    assert silent(behaviour) == ("malformed", True)


@pytest.mark.parametrize("content", [None, "", "  \n"])
def test_an_empty_answer_is_none(content: str | None) -> None:
    assert silent(says(content)) == ("empty", True)


@pytest.mark.parametrize("behaviour", [says(None, refusal="I can't."), says("x", finish="content_filter")])
def test_a_model_may_decline(behaviour: Behaviour) -> None:
    with pytest.raises(DeclinedError):
        asked(behaviour)


def test_an_answer_without_end_is_cut_off() -> None:
    endless = drip(f"HTTP/1.1 200 OK\r\n{JSON}\r\n".encode(), b"x" * 65536)
    assert silent(endless) == ("too_long", False)
    assert silent(raw(b"x" * (BODY_MAX + 1))) == ("too_long", False)


def test_a_lost_connection_is_no_answer() -> None:
    assert silent(hangs_up) == ("connection", True)


@pytest.mark.parametrize(
    "behaviour",
    [silence, drip(b"HTTP/1.1 200 OK\r\n", b"X-More: x\r\n"), drip(b"HTTP/1.1 200 OK\r\n\r\n", b" ")],
)
def test_the_time_is_for_the_whole_answer(behaviour: Behaviour) -> None:
    assert silent(behaviour, llm_timeout_s=1)[1]


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert json.loads(asked(note())) == GOOD
