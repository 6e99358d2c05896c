"""The OpenAI SDK: `client = wrap(OpenAI())`, and every chat completion and response has the agent's notes.

    from openai import OpenAI
    from tarimba.client.integrations.openai_sdk import wrap

    client = wrap(OpenAI())
    with customer_context(context):
        answer = client.responses.create(model="gpt-5.6", instructions=instructions, input=question)

The notes follow the first system or developer message, or `instructions`. Models from gpt-5.6 on are told to cache
everything up to them (`instructions` have no place for that), and without a `prompt_cache_key` of the caller's all
requests with the same instructions have one. What the model asks of `search_agent_memory` is answered here, so the
caller sees the caller's own tools only. That holds for `create`, also with `stream=True` and by `with_raw_response`,
and for `stream`, of both kinds of client. `parse`, `with_streaming_response` and completions of several choices have
the notes, without the tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from openai import AsyncOpenAI, OpenAI

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import openai_key, openai_mark, part
from tarimba.client.integrations.chat_form import ChatForm
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.integrations.responses_form import ResponsesForm
from tarimba.client.integrations.rounds import Request, Rounds
from tarimba.client.integrations.stainless import closed, given, has_rounds, read
from tarimba.client.tools import Tool

C = TypeVar("C", OpenAI, AsyncOpenAI)


def wrap(client: C, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> C:
    """A client like `client` whose completions and responses have the notes; `client` itself stays as it was."""
    notes = Notes.of(agent_memory, write=write)
    wrapped = client.with_options()
    if notes is not None:
        kind = _AwaitedCalls if isinstance(client, AsyncOpenAI) else _Calls
        for calls, form in ((wrapped.chat.completions, _Chat()), (wrapped.responses, _Responses())):
            made = kind(Rounds(notes, form), calls)
            # The SDK's own `stream` goes through `create`.
            calls.create, calls.parse = made.create, made.parse
    return wrapped


class _Chat(ChatForm):
    def __init__(self) -> None:
        super().__init__(lambda request: openai_mark(str(request.get("model"))))

    def asked(self, request: Request, composed: Composed, tools: Sequence[Tool]) -> Request:
        messages = request.get("messages") or [{}]
        first = messages[0] if part(messages[0], "role") in {"system", "developer"} else {}
        return super().asked(request, composed, tools) | _key(request, part(first, "content"))


class _Responses(ResponsesForm):
    def asked(self, request: Request, composed: Composed, tools: Sequence[Tool]) -> Request:
        return super().asked(request, composed, tools) | _key(request, request.get("instructions"))


class _Calls:
    """What the SDK's own calls are exchanged for."""

    def __init__(self, rounds: Rounds, calls: Any) -> None:
        self._rounds = rounds
        self._create = calls.create
        self._parse = calls.parse

    def create(self, **fields: Any) -> Any:
        request = given(fields)
        if not _has_rounds(request):
            return self._create(**self._rounds.noted(request))
        run = self._rounds.stream if request.get("stream") else self._rounds.answer
        return run(self._create, request)

    def parse(self, **fields: Any) -> Any:
        return self._parse(**self._rounds.noted(given(fields)))


class _AwaitedCalls(_Calls):
    """The same, awaited."""

    async def create(self, **fields: Any) -> Any:
        request = given(fields)
        if not _has_rounds(request):
            return await self._create(**await self._rounds.anoted(request))
        run = self._rounds.astream if request.get("stream") else self._rounds.aanswer
        return closed(await run(partial(read, self._create), request))

    async def parse(self, **fields: Any) -> Any:
        return await self._parse(**await self._rounds.anoted(given(fields)))


def _has_rounds(request: Request) -> bool:
    return has_rounds(request) and request.get("n") in {None, 1}


def _key(request: Request, instructions: Any) -> Request:
    if "prompt_cache_key" in request or not instructions:
        return {}
    text = (
        instructions if isinstance(instructions, str) else repr([part(one, "text") for one in instructions])
    )
    return openai_key(str(request.get("model")), text)
