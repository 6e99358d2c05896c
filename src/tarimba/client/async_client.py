"""The client for programs of asyncio: the same calls, awaited."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tarimba.client.async_transport import Loops, pools
from tarimba.client.client import Tarimba
from tarimba.client.composing import Composed, compose
from tarimba.client.configured import Configured
from tarimba.client.conversation import Conversation
from tarimba.client.core import Pause, Send, Steps
from tarimba.client.events import Handle
from tarimba.client.models import AgentMemory, Evidence, Found, Remembered
from tarimba.client.options import Options
from tarimba.client.recording import Tally
from tarimba.client.tools import Tool, Toolbox
from tarimba.client.wire import Request, Response

if TYPE_CHECKING:
    import httpx

    from tarimba.client.api.async_root import AsyncApi

T = TypeVar("T")
_DEFAULTS = Options()


class AsyncTarimba:
    """An agent's memory for asyncio. One for a process is enough: it may be used from several event loops.

    Key, address, budgets and errors are those of `Tarimba`. Cancelling a call ends it.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        strict: bool = False,
        options: Options = _DEFAULTS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        # Events leave by its thread, whatever becomes of the loop that recorded them.
        self.synchronous = Tarimba(
            api_key, base_url, strict=strict, options=options, transport=_also_threaded(transport)
        )
        self._settled = self.synchronous.settled
        self._loops = _loops(self._settled, transport)

    @classmethod
    def over(cls, threaded: Tarimba) -> Self:
        """The same client for asyncio: key, address, options and cache are shared. Closing one closes both."""
        made = cls.__new__(cls)
        made.synchronous = threaded
        loops = _loops(threaded.settled, _also_awaited(threaded.transport))
        made._settled, made._loops = threaded.settled, loops  # noqa: SLF001 - our own
        return made

    @classmethod
    def embedded(
        cls,
        path: str | os.PathLike[str],
        *,
        agent: str = "agent",
        language: str = "en",
        strict: bool = False,
        options: Options = _DEFAULTS,
    ) -> Self:
        """See `Tarimba.embedded`. Opening waits for the disk: do it before the loop runs, or in a thread."""
        opened = Tarimba.embedded(path, agent=agent, language=language, strict=strict, options=options)
        return cls.over(opened)

    async def agent_memory(
        self,
        max_tokens: int = 300,
        tags: Iterable[str] = (),
        view: str | None = None,
        *,
        conversation_id: str | None = None,
        task_id: str | None = None,
    ) -> AgentMemory:
        """See `Tarimba.agent_memory`."""
        return await self._run(self._settled.core.block(max_tokens, tags, view, conversation_id, task_id))

    async def search_agent_memory(
        self,
        query: str,
        *,
        tags: Iterable[str] = (),
        limit: int = 5,
        conversation_id: str | None = None,
        task_id: str | None = None,
    ) -> Found:
        """See `Tarimba.search_agent_memory`."""
        return await self._run(self._settled.core.search(query, tags, limit, conversation_id, task_id))

    async def remember(
        self,
        kind: str,
        title: str,
        body: str,
        *,
        tags: Iterable[str] = (),
        evidence: Evidence | Mapping[str, str] | None = None,
        visibility: str | None = None,
        valid_until: datetime | str | None = None,
    ) -> Remembered:
        """See `Tarimba.remember`."""
        steps = self._settled.core.remember(
            kind,
            title,
            body,
            tags=tags,
            evidence=evidence,
            visibility=visibility,
            valid_until=valid_until,
        )
        return await self._run(steps)

    async def tools(self, *, agent_memory: bool = True, write: bool = False) -> tuple[Tool, ...]:
        """See `Tarimba.tools`. Their `run` is for callers outside of the loop, their `arun` for those in it."""
        if not agent_memory:
            return ()
        return self.toolbox().tools(await self._run(self._settled.core.tools()), write=write)

    def toolbox(self) -> Toolbox:
        """What carries tools out, in threads and in asyncio."""
        threaded = self.synchronous
        return Toolbox(
            threaded.search_agent_memory, self.search_agent_memory, threaded.remember, self.remember
        )

    async def compose(
        self, instructions: str, context: str = "", *, memory: AgentMemory | None = None
    ) -> Composed:
        """See `Tarimba.compose`."""
        return compose(instructions, (memory or await self.agent_memory()).text, context)

    def conversation(
        self, conversation_id: str, *, channel: str = "chat", customer: Sequence[Handle] = ()
    ) -> Conversation:
        """See `Tarimba.conversation`. What records never waits, so there is nothing to await."""
        return self.synchronous.conversation(conversation_id, channel=channel, customer=customer)

    def task(
        self, task_id: str, *, conversation_id: str | None = None, channel: str = "task"
    ) -> Conversation:
        """See `Tarimba.task`."""
        return self.synchronous.task(task_id, conversation_id=conversation_id, channel=channel)

    @property
    def api(self) -> AsyncApi:
        """See `Tarimba.api`: the same calls, awaited."""
        from tarimba.client.api.async_root import AsyncApi

        return AsyncApi(self._manage)

    @property
    def recorded(self) -> Tally:
        """See `Tarimba.recorded`."""
        return self.synchronous.recorded

    async def flush(self, seconds: float = 5.0) -> bool:
        """See `Tarimba.flush`."""
        return await asyncio.to_thread(self.synchronous.flush, seconds)

    async def close(self) -> None:
        """See `Tarimba.close`."""
        await asyncio.to_thread(self.synchronous.close)
        if self._loops is not None:
            await self._loops.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncTarimba(base_url={self._settled.address.shown!r})"

    async def _manage(self, request: Request) -> Any:
        from tarimba.client.api.calls import read

        return read(await self._run(self._settled.core.manage(request)))

    async def _run(self, steps: Steps[T]) -> T:
        """Carries out the steps of a call in the running loop."""
        try:
            step = next(steps)
            while True:
                outcome = await self._outcome(step)
                step = steps.throw(outcome) if isinstance(outcome, Exception) else steps.send(outcome)
        except StopIteration as end:
            value: T = end.value
            return value

    async def _outcome(self, step: Send | Pause) -> Response | Exception | None:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            return await self._send(step)
        except Exception as error:  # noqa: BLE001 - the call decides what becomes of it
            return error

    async def _send(self, step: Send) -> Response:
        if self._loops is None:
            raise self._settled.missing()
        return await self._loops.send(step.request, step.deadline)


def _also_threaded(transport: httpx.AsyncBaseTransport | None) -> httpx.BaseTransport | None:
    """The transport, if it serves threads as well."""
    if transport is None:
        return None
    import httpx

    return transport if isinstance(transport, httpx.BaseTransport) else None


def _also_awaited(transport: httpx.BaseTransport | None) -> httpx.AsyncBaseTransport | None:
    """The transport, if it serves asyncio as well."""
    if transport is None:
        return None
    import httpx

    return transport if isinstance(transport, httpx.AsyncBaseTransport) else None


def _loops(settled: Configured, transport: httpx.AsyncBaseTransport | None) -> Loops | None:
    """Connections for whoever asks; None when nothing can be sent."""
    if settled.problem is not None:
        return None
    open_pool = pools(settled.address, settled.options, transport)
    return Loops(settled.address, open_pool, owned=transport is None)
