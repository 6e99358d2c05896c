"""CAMEL: `agent = with_notes(ChatAgent(...))`, and each call of its model has the agent's notes.

    from camel.agents import ChatAgent
    from tarimba.client.integrations.camel import with_notes

    agent = with_notes(ChatAgent("You collect what is due.", model="gpt-5.6", tools=[post_credit]))
    with customer_context(context):
        answer = agent.step(question).msg.content

For `step` and `astep`, whole and streamed; clones of the agent have the notes too. They follow the system message and
never enter the agent's memory. OpenAI's models from gpt-5.6 on are told to cache everything up to them, in chat
completions; CAMEL makes one text of Anthropic's system prompt, so there is no place for a mark.
`search_agent_memory` is among the tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import copy_context
from copy import copy
from functools import partial
from itertools import cycle
from types import new_class
from typing import Any

from camel.agents import ChatAgent
from camel.models import AzureOpenAIModel, BaseModelBackend, ModelManager, OpenAIModel
from camel.toolkits import FunctionTool

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import MOST_MARKS, OPENAI, Mark, counted, openai_mark, placed
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

Message = Mapping[str, Any]


def with_notes(agent: ChatAgent, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Any:
    """An agent like `agent` with the notes; `agent` itself stays as it was, but both keep one memory.

    Asks the server for the tools, at most for the budget of a block (300 ms).
    """
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return agent
    noted = _of_class(agent, _NotedAgent)
    noted.take_notes(notes)
    return noted


def _of_class(one: Any, noted: type) -> Any:
    """A copy of `one` that is of the class `noted` too."""
    own, copied = type(one), copy(one)
    if not isinstance(one, noted):
        copied.__class__ = new_class(own.__name__, (noted, own))
    return copied


def _manager(own: ModelManager, notes: Notes) -> ModelManager:
    """What chooses among an agent's models, with the notes in each of them."""
    manager = copy(own)
    manager.models = [_of_class(model, _NotedModel) for model in own.models]
    for model in manager.models:
        model.agent_notes = notes
    manager.models_cycle = cycle(manager.models)
    manager.current_model = manager.models[own.current_model_index]
    # A strategy is a method of the manager that it belongs to.
    manager.scheduling_strategy = own.scheduling_strategy.__func__.__get__(manager)
    return manager


class _NotedAgent(ChatAgent):
    """What an agent does so that the notes and the customer's context reach its models."""

    agent_notes: Notes
    model_backend: ModelManager
    _internal_tools: dict[str, FunctionTool]

    def take_notes(self, notes: Notes) -> None:
        self.agent_notes = notes
        self.model_backend = _manager(self.model_backend, notes)
        ours = {tool.name: _function_tool(tool) for tool in notes.tools()}
        self._internal_tools = {**ours, **self._internal_tools}

    @property
    def _step_impl(self) -> Any:
        """A step runs in a thread of its own, which would know nothing of the context that it was asked in."""
        return partial(copy_context().run, super()._step_impl)

    def clone(self, with_memory: bool = False) -> Any:
        return with_notes(super().clone(with_memory), self.agent_notes)


class _NotedModel(BaseModelBackend):
    """What every model does for a call: it reads the notes, and places them behind the framework's own log."""

    agent_notes: Notes

    def _run(self, messages: Sequence[Message], *given: Any, **named: Any) -> Any:
        return super()._run(self._asked(messages, self.agent_notes.compose("")), *given, **named)

    async def _arun(self, messages: Sequence[Message], *given: Any, **named: Any) -> Any:
        composed = await self.agent_notes.acompose("")
        return await super()._arun(self._asked(messages, composed), *given, **named)

    def _asked(self, messages: Sequence[Message], composed: Composed) -> list[Message]:
        if not composed.text:
            return list(messages)
        leads = bool(messages) and messages[0].get("role") in {"system", "developer"}
        own = messages[0] if leads else {"role": "system"}
        content = placed(own.get("content"), composed, self._mark(messages) if composed.shared else {})
        return [{**own, "content": content}, *(messages[1:] if leads else messages)]

    def _mark(self, messages: Sequence[Message]) -> Mark:
        if not isinstance(self, OpenAIModel | AzureOpenAIModel) or _speaks_responses(self):
            return {}
        return openai_mark(str(self.model_type)) if counted(messages, OPENAI) < MOST_MARKS else {}


def _speaks_responses(model: Any) -> bool:
    """They take no block of chat completions."""
    return getattr(model, "_api_mode", "") == "responses"


def _function_tool(tool: Tool) -> FunctionTool:
    def call(**given: Any) -> str:
        return tool.run(given)

    async def acall(**given: Any) -> str:
        return await tool.arun(given)

    # What an agent that is awaited calls instead.
    call.async_call = acall  # type: ignore[attr-defined]
    return FunctionTool(call, openai_tool_schema=tool.definition)
