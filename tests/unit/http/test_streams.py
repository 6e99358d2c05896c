"""Bodies in pieces, in both directions."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from tarimba.errors import Refusal
from tarimba.http import streams
from tarimba.http.body import ClientGoneError
from tarimba.http.skin import Skin
from tests.unit.http.toys import KEY, SECRET, Seen, fake_kernel, identify, routes


def request(path: str, method: str = "GET") -> dict[str, Any]:
    headers = [(b"authorization", b"Bearer " + KEY.encode()), (b"content-type", b"application/json")]
    return {"type": "http", "method": method, "path": path, "query_string": b"", "headers": headers}


def serve(scope: dict[str, Any], incoming: list[dict[str, Any]], seen: Seen) -> list[Any]:
    """What the skin sends when the server hands in `incoming` and then nothing more."""
    sent: list[Any] = []
    skin = Skin(fake_kernel(), routes(seen), identify=identify)

    async def scene() -> None:
        messages = iter(incoming)

        async def receive() -> Any:
            message = next(messages, None)
            return message or await asyncio.get_running_loop().create_future()

        async def send(message: Any) -> None:
            sent.append(message)

        await skin(scope, receive, send)

    asyncio.run(scene())
    skin.close()
    return sent


def test_a_caller_who_leaves_in_the_middle_of_an_import_is_not_answered() -> None:
    seen = Seen()
    pieces: list[dict[str, Any]] = [{"type": "http.request", "body": b"abc", "more_body": True}]
    pieces.append({"type": "http.disconnect"})
    with capture_logs() as logs:
        assert serve(request("/import", "POST"), pieces, seen) == []
    assert seen.calls
    assert [(line["event"], line["status"]) for line in logs] == [("http.request", 499)]


def test_a_caller_who_leaves_ends_the_export() -> None:
    seen = Seen()
    sent = serve(request("/export"), [{"type": "http.disconnect"}], seen)
    # The first piece may be under way when it shows; the last one never leaves.
    assert [message["more_body"] for message in sent[1:]] in ([], [True])
    assert seen.closed.is_set()


def test_an_export_that_fails_in_the_middle_is_left_without_an_end() -> None:
    with capture_logs() as logs:
        sent = serve(request("/export/some"), [], Seen())
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert sent[-1]["more_body"] is True
    assert [(line["event"], line.get("status")) for line in logs] == [
        ("http.failed", None),
        ("http.request", 500),
    ]
    assert SECRET not in str(logs)


def in_thread(use: Callable[[asyncio.AbstractEventLoop], Any]) -> Any:
    async def scene() -> Any:
        return await asyncio.to_thread(use, asyncio.get_running_loop())

    return asyncio.run(scene())


def test_empty_pieces_are_no_end() -> None:
    pieces = iter([b"", b"a", b"", b"b"])
    left = [True, True, True, False]

    async def receive() -> Any:
        return {"type": "http.request", "body": next(pieces), "more_body": left.pop(0)}

    assert in_thread(lambda loop: list(streams.BodyStream(receive, loop, 2))) == [b"a", b"b"]


def test_the_limit_counts_the_stream() -> None:
    async def receive() -> Any:
        return {"type": "http.request", "body": b"abc", "more_body": True}

    def use(loop: asyncio.AbstractEventLoop) -> int:
        body = streams.BodyStream(receive, loop, 7)
        taken = len(next(body)) + len(next(body))
        with pytest.raises(Refusal, match="at most 7 bytes"):
            next(body)
        return taken

    assert in_thread(use) == 6


def test_a_stalled_side_gives_the_thread_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STALL_SECONDS", 0)

    async def receive() -> Any:
        return await asyncio.get_running_loop().create_future()

    def use(loop: asyncio.AbstractEventLoop) -> str:
        with pytest.raises(Refusal) as refused:
            next(streams.BodyStream(receive, loop, 7))
        return refused.value.code

    assert in_thread(use) == "unavailable"


def test_a_caller_who_left_is_no_end_of_the_body() -> None:
    async def receive() -> Any:
        return {"type": "http.disconnect"}

    def use(loop: asyncio.AbstractEventLoop) -> None:
        with pytest.raises(ClientGoneError):
            list(streams.BodyStream(receive, loop, 7))

    in_thread(use)
