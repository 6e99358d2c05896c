"""Requests that wait for something to happen: a look now and then, and no thread held in between."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Final

from tarimba.errors import Refusal
from tarimba.http.body import ClientGoneError, Receive
from tarimba.http.reply import Reply
from tarimba.http.route import NotYetError

LOOK_SECONDS: Final = 0.5
WAITING_MAX: Final = 64


class Waiting:
    """The requests of one server that wait, at most `most` at a time. On its loop only."""

    def __init__(self, most: int = WAITING_MAX) -> None:
        self._most = most
        self._now = 0

    async def patiently(self, look: Callable[[float], Awaitable[Reply]], receive: Receive) -> Reply:
        """What `look` gives as soon as it does not say that there is nothing yet. It gets the seconds waited so far.

        Raises what it raises, 503 when too many wait already, and `ClientGoneError`.
        """
        started = time.monotonic()
        try:
            return await look(0.0)
        except NotYetError:
            if self._now >= self._most:
                raise Refusal(
                    "unavailable", "Too many requests wait for news. Try again.", retry_after=5
                ) from None
        self._now += 1
        gone = asyncio.get_running_loop().create_task(_disconnected(receive))
        try:
            while True:
                await asyncio.wait((gone,), timeout=LOOK_SECONDS)
                if gone.done():
                    raise ClientGoneError
                with contextlib.suppress(NotYetError):
                    return await look(time.monotonic() - started)
        finally:
            self._now -= 1
            gone.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
