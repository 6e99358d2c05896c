"""The official SDK behind an endpoint: loaded when somebody first asks, for it weighs as much as all the rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

MakeManager = Callable[[], "StreamableHTTPSessionManager"]


class Speaking:
    """One run of an endpoint. Made on the loop that it runs on."""

    def __init__(self, make: MakeManager) -> None:
        self._make = make
        self._wanted = asyncio.Event()
        self._ending = asyncio.Event()
        self._begun: asyncio.Future[StreamableHTTPSessionManager] = asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answers `manager()` within."""
        # What the SDK begins has to end in the task that began it: that is neither a request nor who serves us.
        keeper = asyncio.create_task(self._keep())
        try:
            yield
        finally:
            self._ending.set()
            self._wanted.set()
            await keeper

    async def manager(self) -> StreamableHTTPSessionManager:
        """What speaks the protocol. Raises what making it raised."""
        self._wanted.set()
        # Others wait for it too, whoever of them hangs up.
        return await asyncio.shield(self._begun)

    async def _keep(self) -> None:
        await self._wanted.wait()
        if self._ending.is_set():
            return
        try:
            manager = await asyncio.to_thread(self._make)
        except Exception as error:  # noqa: BLE001 - whoever awaits the future gets it
            self._begun.set_exception(error)
            return
        async with manager.run():
            self._begun.set_result(manager)
            await self._ending.wait()
