"""The protocol of a connection, with bounds that the server's own lacks: heads of requests come in time, and are small.

The parser takes a head of any size and waits for its end for ever: whoever opens connections and stalls would have all
handles of the process, and whoever never ends a line all of its memory.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# From its first byte; longer than any healthy network pauses.
HEAD_SECONDS: Final = 30.0
# What is read at once may be so much more.
HEAD_MAX: Final = 64 * 1024
_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
)


class Heads(HttpToolsProtocol):
    """Closes a connection on which nothing is asked, or whose next request does not get as far as its body.

    One that was just opened has as long as an idle one. Nothing is closed while a request is being answered.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # What came of the head that is being read, after the piece in which it began; None between heads.
        self._head_size: int | None = None
        self._has_begun = False
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # The server itself begins to count with the first answer.
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def connection_lost(self, exc: Exception | None) -> None:
        self._in_time()
        # The server forgets its own timer when a connection breaks.
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_size, self._has_begun = 0, True

    def on_headers_complete(self) -> None:
        self._head_size = None
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        self._has_begun = False
        super().data_received(data)
        self._count(data)
        if self._is_answering() or self.timeout_keep_alive_task is not None or self.transport.is_closing():
            self._in_time()
        elif self._late is None:
            # The end of a head is not there yet, or what comes belongs to a request that was answered already.
            self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _count(self, data: bytes) -> None:
        if self._head_size is None or self._has_begun or self.transport.is_closing():
            return
        self._head_size += len(data)
        if self._head_size > HEAD_MAX:
            # Behind an answer that is under way nothing may be written.
            if not self._is_answering():
                self.transport.write(_TOO_LARGE)
            self.transport.close()

    def _is_answering(self) -> bool:
        # The server declares it as always there; before the first request it is None.
        return not getattr(self.cycle, "response_complete", True)

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if not self._is_answering() and not self.transport.is_closing():
            self.transport.close()
