"""Haystack: `agent = with_notes(Agent(...))`, and each call of its chat generator has the agent's notes.

    from haystack.components.agents import Agent
    from haystack.components.generators.chat import OpenAIChatGenerator
    from tarimba.client.integrations.haystack import with_notes

    model = OpenAIChatGenerator(model="gpt-5.6")
    agent = with_notes(Agent(chat_generator=model, system_prompt="You collect what is due.", tools=[post_credit]))
    with customer_context(context):
        answer = agent.run([ChatMessage.from_user(question)])["last_message"].text

The notes follow the system prompt and never enter the agent's state, whether it runs at once, awaited or streamed.
Models of Anthropic, and those on Bedrock that take it, are told to cache everything up to them; a message of Haystack
has no place for OpenAI's mark. `search_agent_memory` is among the tools for as long as the server lists it for the key.
An agent with notes is not written down: write `agent` down, and give notes to what is read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from functools import wraps
from itertools import takewhile
from typing import Any, Final

from haystack.components.agents import Agent
from haystack.core.errors import SerializationError
from haystack.dataclasses import ChatMessage, ChatRole
from haystack.tools import Tool as AgentTool
from haystack.tools import Toolset

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import ANTHROPIC, MOST_MARKS, Mark, counted, placed, point
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

_ANTHROPICS: Final = frozenset(
    {"AnthropicChatGenerator", "AnthropicFoundryChatGenerator", "AnthropicVertexChatGenerator"}
)
_BEDROCKS: Final = frozenset({"AmazonBedrockChatGenerator"})


def with_notes(agent: Agent, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Any:
    """An agent like `agent` with the notes; `agent` itself stays as it was."""
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return agent
    # Who adapts twice has the notes once.
    generator = getattr(agent.chat_generator, "without_notes", agent.chat_generator)
    tools = [agent.tools] if isinstance(agent.tools, Toolset) else list(agent.tools or ())
    own = [one for one in tools if not isinstance(one, _NotesTools)]
    takes_tools = "tools" in inspect.signature(generator.run).parameters
    offered = [*own, _NotesTools(notes, _names(own))] if takes_tools else agent.tools
    return agent.clone(chat_generator=_noted(generator, notes), tools=offered)


def _noted(own: Any, notes: Notes) -> Any:
    """A chat generator like `own` that is asked with the notes."""
    generator = copy(own)
    generator.without_notes = own
    generator.run = _running(generator.run, own, notes)
    if hasattr(own, "run_async"):
        generator.run_async = _awaiting(generator.run_async, own, notes)
    return generator


def _running(run: Callable[..., Any], generator: Any, notes: Notes) -> Callable[..., Any]:
    @wraps(run)
    def noted(messages: Any, *given: Any, **named: Any) -> Any:
        return run(_asked(messages, notes.compose(""), generator), *given, **named)

    return noted


def _awaiting(run: Callable[..., Any], generator: Any, notes: Notes) -> Callable[..., Any]:
    @wraps(run)
    async def noted(messages: Any, *given: Any, **named: Any) -> Any:
        return await run(_asked(messages, await notes.acompose(""), generator), *given, **named)

    return noted


def _asked(given: Any, composed: Composed, generator: Any) -> Any:
    """The messages with the notes behind the system messages that lead them."""
    if not composed.text:
        return given
    messages = [ChatMessage.from_user(given)] if isinstance(given, str) else list(given)
    leading = list(takewhile(lambda one: one.is_from(ChatRole.SYSTEM), messages))
    mark = _mark(messages, len(leading), generator) if composed.shared else {}
    if mark or (len(leading) > 1 and not _marks_system(generator)):
        blocks = [{"text": one.text or "", "meta": one.meta} for one in leading]
        system = [_system(**one) for one in placed(blocks, composed, {"meta": mark})]
    else:
        *before, last = leading or [None]
        text = placed(last.text if last else None, composed, {})
        system = [*before, _system(text, last.meta if last else {})]
    return [*system, *messages[len(leading) :]]


def _system(text: str, meta: Mark | None = None, **_kind: Any) -> ChatMessage:
    return ChatMessage.from_system(text, meta=dict(meta or {}))


def _mark(messages: Sequence[ChatMessage], leading: int, generator: Any) -> Mark:
    """What the meta of a message says so that the provider keeps everything up to it; empty where none has room."""
    kinds = {kind.__name__ for kind in type(generator).__mro__}
    mark = ANTHROPIC if kinds & _ANTHROPICS else point(str(generator.model)) if kinds & _BEDROCKS else {}
    used = sum(_parts(one) for one in messages if counted(one.meta, mark))
    used += counted(getattr(generator, "generation_kwargs", None), mark)
    used += bool(getattr(generator, "tools_cachepoint_config", None))
    # The customer's context becomes one more of the messages that it marks.
    used += leading + 1 if _marks_system(generator) else 0
    return mark if used < MOST_MARKS else {}


def _marks_system(generator: Any) -> bool:
    """A generator for Bedrock that was told to marks every system message."""
    return bool(getattr(generator, "system_cachepoint_config", None))


def _parts(message: ChatMessage) -> int:
    """How many marks one in a message's meta becomes: each of its parts has it."""
    parts = (message.texts, message.images, message.files, message.tool_calls, message.tool_call_results)
    return sum(map(len, parts))


class _NotesTools(Toolset):
    """The tools of the notes, as the server lists them when a run begins."""

    def __init__(self, notes: Notes, own: Collection[str]) -> None:
        super().__init__([])
        self._notes = notes
        self._own = own

    def warm_up(self) -> None:
        self._take(self._notes.tools())

    async def warm_up_async(self) -> None:
        self._take(await self._notes.atools())

    def to_dict(self) -> dict[str, Any]:
        raise SerializationError(
            "An agent with notes is not written down: write the agent down that it was made of, and give notes to "
            "what is read."
        )

    def _take(self, listed: Iterable[Tool]) -> None:
        self.tools = [_tool(one) for one in listed if one.name not in self._own]


def _names(tools: Iterable[Any]) -> set[str]:
    """The names of the agent's own tools, as far as they are known before a run."""
    listed = (one.tools if isinstance(one, Toolset) else [one] for one in tools)
    return {tool.name for tools_of_one in listed for tool in tools_of_one}


def _tool(tool: Tool) -> AgentTool:
    def run(**given: Any) -> str:
        return tool.run(given)

    async def arun(**given: Any) -> str:
        return await tool.arun(given)

    return AgentTool(tool.name, tool.description, dict(tool.parameters), function=run, async_function=arun)
