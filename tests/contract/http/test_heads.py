"""Whoever opens connections and asks nothing, or never ends asking, holds neither handles nor memory for ever."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator, MutableMapping
from typing import Any, Final

import pytest
import uvicorn

from tarimba.http import heads
from tarimba.http.heads import HEAD_MAX, Heads
from tests.fixtures.sockets import listener

# Far longer than any of it takes: a test that waits so long has failed.
PATIENCE: Final = 60.0
HALF: Final = b"GET /now HTTP/1.1\r\nhost: here\r\nx-slow: "
WHOLE: Final = b"GET /%s HTTP/1.1\r\nhost: here\r\n\r\n"
OK: Final = b"HTTP/1.1 200 OK"


@pytest.fixture
def later() -> threading.Event:
    """Set it, and `/later` is answered."""
    return threading.Event()


@pytest.fixture
def port(later: threading.Event, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that loses its patience at once."""
    monkeypatch.setattr(heads, "HEAD_SECONDS", 0.05)

    async def app(scope: MutableMapping[str, Any], _receive: Any, send: Any) -> None:
        if scope["path"] == "/later":
            await asyncio.to_thread(later.wait, PATIENCE)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    config = uvicorn.Config(app, http=Heads, lifespan="off", log_config=None, timeout_keep_alive=1)
    server = uvicorn.Server(config)
    with listener() as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield listening.getsockname()[1]
        later.set()
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def asking(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as made:
        yield made


def rest(of: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := of.recv(65_536):
            found += piece
    return found


@pytest.mark.parametrize("said", [b"", HALF, b"\r\n", WHOLE % b"now" + HALF])
@pytest.mark.promise("heads-bounded")
def test_who_stalls_before_a_request_is_whole_is_let_go(port: int, said: bytes) -> None:
    with asking(port) as caller:
        caller.sendall(said)
        told = rest(caller)
    assert told.count(OK) == said.count(b"\r\n\r\n")


@pytest.mark.promise("heads-bounded")
def test_a_head_without_an_end_is_refused_soon(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "HEAD_SECONDS", PATIENCE)
    with asking(port) as caller:
        caller.sendall(HALF)
        # What the system and the server hold on the way comes on top of the limit.
        with pytest.raises(OSError, match=r"reset|Broken pipe"):
            caller.sendall(b"x" * 64 * 1024 * 1024)


@pytest.mark.promise("heads-bounded")
def test_large_heads_within_the_limit_and_behind_a_large_body_are_read(port: int) -> None:
    head = b"x-large: " + b"x" * (HEAD_MAX // 2) + b"\r\n\r\n"
    body = b"b" * (4 * HEAD_MAX)
    post = b"POST /now HTTP/1.1\r\nhost: here\r\ncontent-length: %d\r\n\r\n" % len(body)
    with asking(port) as caller:
        caller.sendall(b"GET /now HTTP/1.1\r\nhost: here\r\n" + head + post + body + WHOLE % b"now")
        told = rest(caller)
    assert told.count(OK) == 3


@pytest.mark.promise("heads-bounded")
def test_an_answer_under_way_is_waited_for(port: int, later: threading.Event) -> None:
    with asking(port) as caller, asking(port) as other:
        caller.sendall(WHOLE % b"later")
        # By the time that who stalls is let go, the answer is late by the same measure.
        other.sendall(HALF)
        rest(other)
        later.set()
        assert rest(caller).startswith(OK)
