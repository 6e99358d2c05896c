"""The server loop, telling when it listens."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn


class Listening(uvicorn.Server):
    """A server that calls `ready` once its address takes connections: not before, not when it could not be had."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None] | None = None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._ready is not None:
            self._ready()
