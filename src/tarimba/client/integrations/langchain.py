"""LangChain: `model = with_notes(ChatOpenAI(model="gpt-5.6"))`, and each of its calls has the agent's notes.

    from langchain_openai import ChatOpenAI
    from tarimba.client.integrations.langchain import with_notes

    chain = prompt | with_notes(ChatOpenAI(model="gpt-5.6")).bind_tools([post_credit])
    with customer_context(context):
        answer = chain.invoke({"question": question})

The notes follow the first system message. What the model asks of `search_agent_memory` is answered here, so that the
caller sees the caller's own tools only; `notes_tools()` gives ours to a loop of your own. Anthropic's and OpenAI's
models (from gpt-5.6 on) are told to cache everything up to the notes. For `create_agent`, see `langgraph`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableBinding, RunnableConfig
from langchain_core.tools import StructuredTool

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import MOST_MARKS, placed
from tarimba.client.integrations.langchain_blocks import mark_of, marks
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

_ROUNDS: Final = 8


def with_notes(model: Any, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Any:
    """A runnable like the chat model `model` (also one with tools bound) whose calls have the notes."""
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return model
    if isinstance(model, RunnableBinding):
        bound = dict(model.kwargs)
        return NotedModel(model.bound, notes, bound.pop("tools", ()), bound)
    return NotedModel(model, notes)


def notes_tools(agent_memory: AgentMemoryLike = True, *, write: bool = False) -> list[StructuredTool]:
    """The tools of the notes that the server lists for the key, for a loop of your own."""
    notes = Notes.of(agent_memory, write=write)
    return [structured(tool) for tool in notes.tools()] if notes is not None else []


def structured(tool: Tool) -> StructuredTool:
    """A tool of ours as one of LangChain's."""

    def run(**given: Any) -> str:
        return tool.run(given)

    async def arun(**given: Any) -> str:
        return await tool.arun(given)

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=dict(tool.parameters),
        func=run,
        coroutine=arun,
    )


class NotedModel(Runnable[Any, AIMessage]):
    """A chat model with the notes. `bind_tools` adds the caller's own tools, as on any chat model."""

    def __init__(
        self, model: Any, notes: Notes, tools: Sequence[Any] = (), bound: Mapping[str, Any] | None = None
    ) -> None:
        self._model = model
        self._notes = notes
        self._own = tuple(tools)
        self._bound = dict(bound or {})

    def bind_tools(self, tools: Sequence[Any], **bound: Any) -> NotedModel:
        return NotedModel(self._model, self._notes, tools, {**self._bound, **bound})

    def invoke(self, input: Any, config: RunnableConfig | None = None, **more: Any) -> AIMessage:  # noqa: A002
        tools = _by_name(self._notes.tools())
        model, asked = self._offering(tools), self._asked(input, self._notes.compose(""))
        for _ in range(_ROUNDS):
            said: AIMessage = model.invoke(asked, config, **more)
            calls = _ours(said, tools)
            if not calls:
                break
            asked = [*asked, said, *(_told(call, tools[call["name"]].run(call["args"])) for call in calls)]
        return said

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **more: Any) -> AIMessage:  # noqa: A002
        tools = _by_name(await self._notes.atools())
        model, asked = self._offering(tools), self._asked(input, await self._notes.acompose(""))
        for _ in range(_ROUNDS):
            said: AIMessage = await model.ainvoke(asked, config, **more)
            calls = _ours(said, tools)
            if not calls:
                break
            told = [_told(call, await tools[call["name"]].arun(call["args"])) for call in calls]
            asked = [*asked, said, *told]
        return said

    def stream(
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        **more: Any,
    ) -> Iterator[AIMessage]:
        """Text as it comes; calls of tools are held back until it is known whose they are."""
        tools = _by_name(self._notes.tools())
        model, asked = self._offering(tools), self._asked(input, self._notes.compose(""))
        for _ in range(_ROUNDS):
            held = _Held()
            for chunk in model.stream(asked, config, **more):
                yield from held.passed(chunk)
            calls = _ours(held.whole, tools)
            if not calls:
                break
            told = [_told(call, tools[call["name"]].run(call["args"])) for call in calls]
            asked = [*asked, held.whole, *told]
        yield from held.chunks

    async def astream(
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        **more: Any,
    ) -> AsyncIterator[AIMessage]:
        tools = _by_name(await self._notes.atools())
        model, asked = self._offering(tools), self._asked(input, await self._notes.acompose(""))
        for _ in range(_ROUNDS):
            held = _Held()
            async for chunk in model.astream(asked, config, **more):
                for one in held.passed(chunk):
                    yield one
            calls = _ours(held.whole, tools)
            if not calls:
                break
            told = [_told(call, await tools[call["name"]].arun(call["args"])) for call in calls]
            asked = [*asked, held.whole, *told]
        for one in held.chunks:
            yield one

    def _offering(self, tools: Mapping[str, Tool]) -> Any:
        """The model with the caller's tools and ours."""
        named = {_name(tool) for tool in self._own}
        offered = [*self._own, *(tool.definition for name, tool in tools.items() if name not in named)]
        if offered:
            return self._model.bind_tools(offered, **self._bound)
        return self._model.bind(**self._bound) if self._bound else self._model

    def _asked(self, given: Any, composed: Composed) -> list[BaseMessage]:
        messages = _messages(given)
        if not composed.text:
            return messages
        first = messages[0] if messages and isinstance(messages[0], SystemMessage) else SystemMessage("")
        rest = messages[1:] if messages and messages[0] is first else messages
        used = marks([one.content for one in messages]) + marks(self._own) + marks(self._bound)
        mark = mark_of(self._model) if used < MOST_MARKS else {}
        return [first.model_copy(update={"content": placed(first.content, composed, mark)}), *rest]


class _Held:
    """The chunks of one answer: `whole` is their sum, `chunks` those that were not passed on yet."""

    def __init__(self) -> None:
        self.whole: Any = None
        self.chunks: list[AIMessageChunk] = []

    def passed(self, chunk: AIMessageChunk) -> list[AIMessageChunk]:
        self.whole = chunk if self.whole is None else self.whole + chunk
        if self.chunks or chunk.tool_call_chunks:
            self.chunks.append(chunk)
            return []
        return [chunk]


def _messages(given: Any) -> list[BaseMessage]:
    """What a chat model takes, as messages: a text, a prompt, or a list in any of its forms."""
    if isinstance(given, PromptValue):
        return list(given.to_messages())
    return [HumanMessage(given)] if isinstance(given, str) else list(convert_to_messages(given))


def _ours(said: AIMessage | None, tools: Mapping[str, Tool]) -> list[Any]:
    """The calls of an answer that asks for nothing but our tools."""
    calls = list(said.tool_calls) if said is not None else []
    return calls if all(call["name"] in tools for call in calls) else []


def _told(call: Mapping[str, Any], text: str) -> ToolMessage:
    return ToolMessage(text, tool_call_id=call["id"], name=call["name"])


def _by_name(tools: Sequence[Tool]) -> dict[str, Tool]:
    return {tool.name: tool for tool in tools}


def _name(tool: Any) -> str | None:
    """A tool's name, in the forms that `bind_tools` takes."""
    if isinstance(tool, Mapping):
        name = tool.get("name") or tool.get("function", {}).get("name")
        return str(name) if name else None
    return getattr(tool, "name", None) or getattr(tool, "__name__", None)
