"""What a client never says, and how it behaves without a key, after closing and in a child process."""

import logging
import os
import subprocess
import sys

import httpx
import pytest

from tarimba.client import Tarimba
from tarimba.client.errors import ClosedError, NotConfiguredError
from tests.unit.client.scripted import KEY, NOTE, Script, block, problem

SAID = "words of a note that no log may hold"


def test_no_log_holds_text_key_or_conversation(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    script = Script(block(SAID), problem(422, "invalid_input", detail=SAID), httpx.ReadError(SAID))
    with script.threaded() as client:
        client.agent_memory(tags=(SAID,), view=SAID, conversation_id=SAID)
        client.remember("pitfall", SAID, SAID)
        client.search_agent_memory(SAID)
    assert "remember failed: invalid_input (status 422)" in caplog.messages
    assert not [message for message in caplog.messages if SAID in message or KEY in message]


def test_no_representation_shows_text_or_key() -> None:
    stored: dict[str, object] = {
        "note": {**NOTE} | {"title": SAID, "body": SAID},
        "proposal_id": None,
        "warnings": [],
    }
    script = Script(block(SAID), httpx.Response(201, json=stored))
    with script.threaded() as client:
        shown = [
            client,
            client.agent_memory(),
            client.remember("pitfall", SAID, SAID),
            client.settled.address,
        ]
        request = next(client.settled.core.search(SAID, (), 5, SAID, None))
        everything = repr([*shown, request, script.threaded().settled.address])
    assert SAID not in everything
    assert KEY not in everything
    assert repr(client) == "Tarimba(base_url='https://tarimba.example')"


def test_an_address_is_shown_without_a_password() -> None:
    client = Tarimba(KEY, "https://name:secret@tarimba.example:444/prefix?x")
    assert repr(client) == "Tarimba(base_url='https://tarimba.example:444')"


def test_key_and_address_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARIMBA_API_KEY", f"{KEY}\n")
    monkeypatch.setenv("TARIMBA_BASE_URL", "http://memory.example:8750/prefix/")
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return block()

    with Tarimba(transport=httpx.MockTransport(answer)) as client:
        assert client.agent_memory()
    assert sent[0].headers["authorization"] == f"Bearer {KEY}"
    assert str(sent[0].url).startswith("http://memory.example:8750/prefix/v1/agent-memory/block?")


@pytest.mark.parametrize(
    ("key", "address"),
    [
        ("", "https://tarimba.example"),
        ("a\nb", "https://tarimba.example"),
        ("clé", "https://tarimba.example"),
        (KEY, "tarimba.example"),
        (KEY, "ftp://tarimba.example"),
        (KEY, "https://[half"),
        (KEY, "https://tarimba.example:port"),
        (KEY, "https://tarimba.example?x=1"),
    ],
)
def test_without_a_usable_key_and_address_nothing_is_sent(
    key: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TARIMBA_API_KEY", raising=False)
    script = Script(block())
    transport = httpx.MockTransport(script.answer)
    with Tarimba(key, address, transport=transport) as client:
        assert client.agent_memory().error == "not_configured"
        assert client.remember("pitfall", "t", "b").error == "not_configured"
        assert client.search_agent_memory("q").error == "not_configured"
    with pytest.raises(NotConfiguredError):
        Tarimba(key, address, strict=True, transport=transport)
    assert not script.sent


def test_a_closed_client_sends_nothing() -> None:
    script = Script(block())
    client = script.threaded()
    client.agent_memory()
    client.close()
    client.close()
    assert client.search_agent_memory("q").error == "closed"
    assert client.agent_memory().source == "cache"
    strict = script.threaded(strict=True)
    strict.close()
    with pytest.raises(ClosedError):
        strict.agent_memory()
    assert len(script.sent) == 1


def test_closing_ends_the_threads() -> None:
    script = Script(block())
    client = script.threaded()
    client.agent_memory()
    assert client._lanes is not None
    (lane,) = client._lanes._idle
    client.close()
    assert not lane.thread.is_alive()
    assert client._lanes._count == 0


def test_a_lane_that_is_taken_for_work_does_not_retire() -> None:
    script = Script(block())
    with script.threaded() as client:
        client.agent_memory()
        lanes = client._lanes
        assert lanes is not None
        (lane,) = lanes._idle
        assert lanes.retire(lane)
        assert not lanes.retire(lane)
        lane.jobs.put(None)


def test_a_child_process_starts_threads_of_its_own() -> None:
    script = Script(block())
    with script.threaded() as client:
        client.agent_memory()
        assert client._lanes is not None
        client._lanes._pid = os.getpid() + 1
        client.agent_memory(500)
    assert len(script.sent) == 2


def test_an_error_of_the_client_itself_breaks_no_agent() -> None:
    script = Script(RuntimeError(SAID))
    with script.threaded() as client:
        assert client.agent_memory().error == "client_error"
        assert client.search_agent_memory(object()).error == "client_error"  # type: ignore[arg-type]


def test_importing_the_client_loads_neither_the_server_nor_httpx() -> None:
    code = (
        "import sys, tarimba.client; "
        "print(*sorted(m for m in sys.modules if m == 'httpx' or m.startswith('tarimba')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "httpx" not in loaded
    assert [name for name in loaded if not name.startswith("tarimba.client")] == ["tarimba"]
