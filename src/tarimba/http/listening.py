"""The server loop: tells when it listens, and ends in time when it is told to."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final

import structlog
import uvicorn

from tarimba.draining import Draining

# What is left for everything else when the requests under way have had their time.
CLOSING_SECONDS: Final = 4.0
_POLL_SECONDS: Final = 0.1
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_log = structlog.get_logger("tarimba.http")


class Listening(uvicorn.Server):
    """A server that ends by `draining`, and returns then: a process that was told to end has not failed.

    `ready` is called once its address takes connections: not before, not when it could not be had. `told` is called
    on the loop when it was told to end; for `delay` seconds more it goes on answering, so that who spreads the load
    can turn away. Then it takes no more connections, closes the idle ones and lets the requests under way end.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        draining: Draining,
        *,
        ready: Callable[[], None] | None = None,
        told: Callable[[], None] | None = None,
        delay: float = 0.0,
    ) -> None:
        super().__init__(config)
        self._draining = draining
        self._ready = ready
        self._told = told
        self._delay = delay

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._ready is not None:
            self._ready()

    async def main_loop(self) -> None:
        await super().main_loop()
        if self._told is not None:
            self._told()
        rounds = round(self._delay / _POLL_SECONDS)
        while rounds > 0 and not self.force_exit:
            rounds -= 1
            await asyncio.sleep(_POLL_SECONDS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Closes what is idle and waits for the rest, then breaks it off."""
        seconds = max(0.0, self._draining.left() - CLOSING_SECONDS)
        # The loop rounds up by a tick of its own; whole seconds are all that the option's type knows.
        self.config.timeout_graceful_shutdown = seconds  # type: ignore[assignment]
        sweeping = asyncio.create_task(self._sweep())
        try:
            await super().shutdown(sockets)
        finally:
            sweeping.cancel()
        _log.info("server.stopped", cut_off=len(self.server_state.tasks))

    async def _sweep(self) -> None:
        """Closes connections as they become idle: also those that were accepted in the last moment."""
        while True:
            for connection in tuple(self.server_state.connections):
                connection.shutdown()
            await asyncio.sleep(_POLL_SECONDS)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Takes SIGTERM and SIGINT without raising them again: whoever called goes on to end what is theirs."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Told once: end in time. Told again: end now."""
        del sig, frame
        if self._draining.is_on:
            self._draining.hurry()
            self.force_exit = True
        self._draining.begin()
        self.should_exit = True
