"""LlamaIndex: `agent = with_notes(FunctionAgent(...))`, and each step of the agent has its notes.

    from llama_index.core.agent.workflow import FunctionAgent
    from tarimba.client.integrations.llamaindex import with_notes

    agent = with_notes(FunctionAgent(llm=llm, tools=[post_credit], system_prompt="You collect what is due."))
    with customer_context(context):
        answer = await agent.run(question)

The notes follow the system prompt of a step and never enter the agent's memory. `search_agent_memory` is among the
tools for as long as the server lists it for the key. Takes a `FunctionAgent`: other kinds of agent write their system
prompts themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from types import new_class
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.tools import FunctionTool, ToolMetadata

from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool


def with_notes(agent: Any, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Any:
    """An agent like `agent` with the notes; `agent` itself stays as it was. Raises TypeError for another kind."""
    if not isinstance(agent, FunctionAgent):
        raise TypeError(
            "Notes go to a FunctionAgent: other kinds of agent write their system prompts themselves."
        )
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return agent
    own, noted = type(agent), copy(agent)
    if not isinstance(agent, _Noted):
        object.__setattr__(noted, "__class__", new_class(own.__name__, (_Noted, own)))
    # An agent is a model of pydantic whose fields are its settings; the notes are none of them.
    object.__setattr__(noted, "_agent_notes", notes)
    return noted


class _Noted:
    """What an agent asks before a step: the messages for the model, and the tools."""

    _agent_notes: Notes

    async def take_step(self, ctx: Any, llm_input: list[Any], tools: Sequence[Any], memory: Any) -> Any:
        return await super().take_step(ctx, await self._asked(llm_input), tools, memory)  # type: ignore[misc]

    async def get_tools(self, input_str: str | None = None) -> Sequence[Any]:
        own = list(await super().get_tools(input_str))  # type: ignore[misc]
        named = {tool.metadata.name for tool in own}
        listed = await self._agent_notes.atools()
        return [*own, *(_function_tool(tool) for tool in listed if tool.name not in named)]

    async def _asked(self, messages: list[Any]) -> list[Any]:
        leads = bool(messages) and messages[0].role == MessageRole.SYSTEM
        composed = await self._agent_notes.acompose((messages[0].content if leads else "") or "")
        if not composed.text:
            return messages
        system = ChatMessage(role=MessageRole.SYSTEM, content=composed.text)
        return [system, *(messages[1:] if leads else messages)]


class _Metadata(ToolMetadata):
    """A tool's description whose parameters are JSON Schema already."""

    def __init__(self, tool: Tool) -> None:
        super().__init__(description=tool.description, name=tool.name, fn_schema=None)
        self._parameters: Mapping[str, Any] = tool.parameters

    def get_parameters_dict(self) -> dict[str, Any]:
        return dict(self._parameters)


def _function_tool(tool: Tool) -> FunctionTool:
    def run(**given: Any) -> str:
        return tool.run(given)

    async def arun(**given: Any) -> str:
        return await tool.arun(given)

    return FunctionTool(fn=run, async_fn=arun, metadata=_Metadata(tool))
