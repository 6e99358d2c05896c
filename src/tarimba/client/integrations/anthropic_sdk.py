"""The Anthropic SDK: `client = wrap(Anthropic())`, and every message has the agent's notes.

    from anthropic import Anthropic
    from tarimba.client.integrations.anthropic_sdk import wrap

    client = wrap(Anthropic())
    with customer_context(context):
        message = client.messages.create(model=model, max_tokens=1024, system=instructions, messages=messages)

The notes follow `system`, with a `cache_control` of their own as long as the request has fewer than four. What the
model asks of `search_agent_memory` is answered here, so the caller sees the caller's own tools only. That holds for
`create`, also with `stream=True` and by `with_raw_response`, and for `stream`, of both kinds of client. `parse`, typed
outputs and `with_streaming_response` have the notes, without the tool.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from anthropic import Anthropic, AsyncAnthropic, not_given
from anthropic.lib.streaming import AsyncMessageStreamManager, MessageStreamManager

from tarimba.client.integrations.anthropic_form import AnthropicForm
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.integrations.rounds import Request, Rounds
from tarimba.client.integrations.stainless import LaterStream, closed, given, has_rounds, read

C = TypeVar("C", Anthropic, AsyncAnthropic)


def wrap(client: C, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> C:
    """A client like `client` whose messages have the notes; `client` itself stays as it was."""
    notes = Notes.of(agent_memory, write=write)
    wrapped = client.with_options()
    if notes is not None:
        messages = wrapped.messages
        kind = _AwaitedMessages if isinstance(client, AsyncAnthropic) else _Messages
        made = kind(Rounds(notes, AnthropicForm()), messages)
        messages.create, messages.stream, messages.parse = made.create, made.stream, made.parse
    return wrapped


class _Messages:
    """What the SDK's own calls are exchanged for."""

    def __init__(self, rounds: Rounds, messages: Any) -> None:
        self._rounds = rounds
        self._create: Callable[..., Any] = messages.create
        self._stream: Callable[..., Any] = messages.stream
        self._parse: Callable[..., Any] = messages.parse

    def create(self, **fields: Any) -> Any:
        request = given(fields)
        if not has_rounds(request):
            return self._create(**self._rounds.noted(request))
        run = self._rounds.stream if request.get("stream") else self._rounds.answer
        return run(self._create, request)

    def stream(self, **fields: Any) -> Any:
        request = given(fields)
        if request.get("output_format") is not None:
            return self._stream(**self._rounds.noted(request))
        return MessageStreamManager(partial(self.create, **request, stream=True), output_format=not_given)

    def parse(self, **fields: Any) -> Any:
        return self._parse(**self._rounds.noted(given(fields)))


class _AwaitedMessages(_Messages):
    """The same, awaited."""

    async def create(self, **fields: Any) -> Any:
        request = given(fields)
        if not has_rounds(request):
            return await self._create(**await self._rounds.anoted(request))
        run = self._rounds.astream if request.get("stream") else self._rounds.aanswer
        return closed(await run(partial(read, self._create), request))

    def stream(self, **fields: Any) -> Any:
        return LaterStream(partial(self._manager, given(fields)))

    async def parse(self, **fields: Any) -> Any:
        return await self._parse(**await self._rounds.anoted(given(fields)))

    async def _manager(self, request: Request) -> Any:
        if request.get("output_format") is not None:
            return self._stream(**await self._rounds.anoted(request))
        return AsyncMessageStreamManager(self.create(**request, stream=True), output_format=not_given)
