"""One MCP server behind the front door.

Our own front checks who asks and what was sent, then the official SDK speaks the protocol: stateless, one JSON answer
for each POST.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, MutableMapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from tarimba.callers import known_by
from tarimba.errors import Refusal
from tarimba.http import problems
from tarimba.http.body import ClientGoneError, Receive, check_content_type, parse, read_all
from tarimba.http.reply import Header, Reply, Send, send_whole
from tarimba.http.threads import CLOSE_SECONDS, Threads
from tarimba.identity.model import Principal
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.mcp import envelope
from tarimba.mcp.calls import PRINCIPAL
from tarimba.mcp.hosts import Names
from tarimba.mcp.speaking import Speaking

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

Scope = MutableMapping[str, Any]
MakeServer = Callable[[Kernel, Threads], "Server[Any]"]


class Door(Protocol):
    """Who is let in, and how the others are told."""

    def identify(self, kernel: Kernel, bearer: str) -> Principal:
        """Raises `Refusal`. Runs in a thread."""

    def read(self, scope: Scope) -> None:
        """Takes from the address and the headers what the tools need, into the scope. Raises `Refusal`."""

    def refuse(self, refusal: Refusal, request_id: str, headers: list[Header]) -> Reply:
        """The answer to whoever is not served."""


class Endpoint:
    """ASGI application. Serves while `running()` is entered, and answers 503 else."""

    def __init__(self, kernel: Kernel, name: str, door: Door, make: MakeServer) -> None:
        settings = kernel.settings
        self._kernel = kernel
        self._door = door
        self._make = make
        self._names = Names(settings.host, settings.public_url)
        self._threads = Threads(settings.threads, settings.queue_max, name)
        self._speaking: Speaking | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves within. Once for each instance."""
        speaking = Speaking(self._manager)
        async with speaking.running():
            self._speaking = speaking
            try:
                yield
            finally:
                self._speaking = None
        # Elsewhere than on the loop: what still runs in a thread needs the loop to end.
        await asyncio.to_thread(self._threads.close, self._kernel.draining.left(CLOSE_SECONDS))

    def _manager(self) -> StreamableHTTPSessionManager:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        return StreamableHTTPSessionManager(
            self._make(self._kernel, self._threads),
            json_response=True,
            stateless=True,
            max_request_body_size=self._kernel.settings.body_max,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            manager, body = await self._admit(scope, receive)
        except ClientGoneError:
            return
        except Refusal as refusal:
            allow_header = [(b"allow", b"POST")] if refusal.status == 405 else []
            await send_whole(send, self._door.refuse(refusal, new_id(), allow_header))
            return
        await manager.handle_request(scope, _replayed(body, receive), send)

    async def _admit(self, scope: Scope, receive: Receive) -> tuple[StreamableHTTPSessionManager, bytes]:
        """Lets a request in, with its caller in the scope, or raises `Refusal`."""
        if scope["method"] != "POST":
            raise problems.wrong_method(["POST"])
        self._names.check(header(scope, b"host") or "", header(scope, b"origin"))
        speaking = self._running()
        bearer = problems.read_bearer((header(scope, b"authorization") or "").encode("latin-1"))
        callers, caller = self._kernel.callers, known_by(bearer)
        callers.admit(caller)
        known = partial(self._door.identify, self._kernel, bearer)
        scope[PRINCIPAL] = principal = await self._threads.run(known, callers.space_of(caller))
        callers.learn(caller, principal.space_id)
        self._door.read(scope)
        content_type = header(scope, b"content-type")
        check_content_type(None if content_type is None else content_type.encode("latin-1"))
        declared = header(scope, b"content-length") or "0"
        limit = self._kernel.settings.body_max
        size = int(declared) if declared.isdigit() else 0
        body = await read_all(receive, limit, declared=size, patient=header(scope, b"expect") is None)
        envelope.check(parse(body))
        manager = await speaking.manager()
        self._running()
        return manager, body

    def _running(self) -> Speaking:
        if self._speaking is None:
            raise Refusal("unavailable", "The server is starting or stopping. Try again.", retry_after=1)
        return self._speaking


def header(scope: Scope, name: bytes) -> str | None:
    """The header's value; a repeated one is joined, so that none of the two passes unseen (RFC 9110, 5.3)."""
    values = [value for key, value in scope["headers"] if key == name]
    return b", ".join(values).decode("latin-1") if values else None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read already once more, then whatever comes after it."""
    pending = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> MutableMapping[str, Any]:
        return pending.pop() if pending else await receive()

    return replay
