"""The same requests over httpx for programs of asyncio. Cancelling ends an attempt, so no thread waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING

from tarimba.client.budgets import Deadline
from tarimba.client.errors import ClosedError
from tarimba.client.transport import (
    Address,
    failing,
    out_of_time,
    oversized,
    prepared,
    proxy_for,
    verifying,
)
from tarimba.client.wire import Request, Response

if TYPE_CHECKING:
    import httpx

    from tarimba.client.options import Options


Living = AsyncGenerator["httpx.AsyncBaseTransport", None]


class Loops:
    """One pool of connections for each event loop: a program may run several, one after the other or at once.

    A pool lives in a generator of its loop, because loops close those when they end: `asyncio.run` leaves no
    connection behind, and nothing here holds a loop that is over.
    """

    def __init__(
        self, address: Address, open_pool: Callable[[], httpx.AsyncBaseTransport], *, owned: bool
    ) -> None:
        self._address = address
        self._open_pool = open_pool
        self._owned = owned
        self._pools: dict[asyncio.AbstractEventLoop, tuple[httpx.AsyncBaseTransport, Living]] = {}
        self._closed = False

    async def send(self, request: Request, deadline: Deadline) -> Response:
        """The answer, at the latest when the deadline is over. Raises a TarimbaError."""
        if self._closed:
            raise ClosedError("closed", "The client was closed.")
        try:
            async with asyncio.timeout(deadline.left()):
                with failing():
                    return await self._exchange(request, deadline)
        except TimeoutError as error:
            raise out_of_time() from error

    async def close(self) -> None:
        """Closes the connections of the running loop; those of other loops go when their loops end."""
        self._closed = True
        _, living = self._pools.get(asyncio.get_running_loop(), (None, None))
        if living is not None:
            await living.aclose()

    async def _exchange(self, request: Request, deadline: Deadline) -> Response:
        pool = await self._pool()
        response = await pool.handle_async_request(prepared(self._address, request, deadline))
        try:
            body = await _read(response)
        finally:
            await response.aclose()
        return Response(response.status_code, dict(response.headers), body)

    async def _pool(self) -> httpx.AsyncBaseTransport:
        loop = asyncio.get_running_loop()
        held = self._pools.get(loop)
        if held is None:
            living = self._live(loop)
            # Nothing in its way to the first `yield` waits, so no other task of the loop can come in between.
            held = self._pools[loop] = (await anext(living), living)
        return held[0]

    async def _live(self, loop: asyncio.AbstractEventLoop) -> Living:
        pool = self._open_pool()
        try:
            yield pool
        finally:
            self._pools.pop(loop, None)
            if self._owned:
                await pool.aclose()


def pools(
    address: Address, options: Options, transport: httpx.AsyncBaseTransport | None
) -> Callable[[], httpx.AsyncBaseTransport]:
    """What opens a loop's pool. Loads httpx and the certificates now, outside of any call's budget."""
    import httpx

    if transport is not None:
        return lambda: transport
    verify = verifying(address, options)
    proxy = proxy_for(address.base_url)
    most = options.connections
    limits = httpx.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=150.0)
    return lambda: httpx.AsyncHTTPTransport(verify=verify, limits=limits, proxy=proxy)


async def _read(response: httpx.Response) -> bytes:
    pieces = bytearray()
    async for piece in response.aiter_bytes():
        pieces += piece
        oversized(pieces)
    return bytes(pieces)
