"""Bodies too large to hold: read and written piece by piece from a thread, at the pace of the other side."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator
from typing import Any, Final, TypeVar

from tarimba.errors import Refusal
from tarimba.http.body import ClientGoneError, Receive, too_large
from tarimba.http.reply import Reply, Send

T = TypeVar("T")

# Longer than any healthy network pauses; short enough that a dead one gives the thread back.
STALL_SECONDS: Final = 60.0


class BodyStream(Iterator[bytes]):
    """The body as it arrives. Iterate in a thread, once.

    Raises 413 `too_large` above `limit` bytes, 503 `unavailable` when nothing comes for `STALL_SECONDS`, and
    `ClientGoneError`.
    """

    def __init__(self, receive: Receive, loop: asyncio.AbstractEventLoop, limit: int) -> None:
        self._receive = receive
        self._loop = loop
        self._limit = limit
        self._left = limit
        self._more = True

    def __next__(self) -> bytes:
        while self._more:
            message = across(self._next(), self._loop)
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            self._more = message.get("more_body", False)
            chunk: bytes = message.get("body", b"")
            self._left -= len(chunk)
            if self._left < 0:
                raise too_large(self._limit)
            if chunk:
                return chunk
        raise StopIteration

    async def _next(self) -> Any:
        return await self._receive()


class Outflow:
    """Sends the pieces of a body. The headers leave with the first one, so an error before it is still a problem.

    `started` says whether they have left.
    """

    def __init__(self, reply: Reply, receive: Receive, send: Send) -> None:
        self._reply = reply
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._gone = self._loop.create_task(_disconnect(receive))
        self.started = False

    def pump(self) -> None:
        """In a thread: sends everything. Raises what the iterator raises and `ClientGoneError`."""
        content = self._reply.body
        assert isinstance(content, Iterator)
        try:
            for chunk in content:
                self._emit(chunk, more=True)
            self._emit(b"", more=False)
        finally:
            close = getattr(content, "close", None)
            if close is not None:
                close()

    async def end(self) -> None:
        """On the loop, when the thread is done."""
        self._gone.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._gone

    def _emit(self, chunk: bytes, *, more: bool) -> None:
        if self._gone.done():
            raise ClientGoneError
        across(self._write(chunk, more=more), self._loop)

    async def _write(self, chunk: bytes, *, more: bool) -> None:
        if not self.started:
            self.started = True
            head = {"status": self._reply.status, "headers": self._reply.headers}
            await self._send({"type": "http.response.start", **head})
        await self._send({"type": "http.response.body", "body": chunk, "more_body": more})


def across(step: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    """From a thread: the result of a coroutine of the loop. Raises 503 `unavailable` when it stalls."""
    waiting = asyncio.run_coroutine_threadsafe(step, loop)
    try:
        return waiting.result(STALL_SECONDS)
    except TimeoutError:
        waiting.cancel()
        raise Refusal(
            "unavailable", "The connection stalled for too long. Try again.", retry_after=1
        ) from None


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
