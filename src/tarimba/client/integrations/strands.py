"""Strands: `Agent(..., plugins=[AgentNotes()])`, and each call of its model has the agent's notes.

    from strands import Agent
    from tarimba.client.integrations.strands import AgentNotes

    agent = Agent(model, system_prompt="You collect what is due.", plugins=[AgentNotes()])
    with customer_context(context):
        answer = agent(question)

The notes go into the system prompt of a call alone, never into the agent's messages or its sessions. Claude's models,
and Nova's on Bedrock, get a `cachePoint` behind the notes as long as the call has fewer than four. OpenAI's take none
there; give them `cache_config=CacheConfig(cache_key="billing")`, so that all runs of an agent find the same cache.
`search_agent_memory` is among the tools for as long as the server lists it for the key. The older method
`structured_output` asks the model without plugins, and so without the notes: call the agent with
`structured_output_model` instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from strands.hooks import BeforeInvocationEvent
from strands.middleware import InvokeModelContext, InvokeModelStage
from strands.plugins import Plugin
from strands.tools.tools import PythonAgentTool

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import (
    ANTHROPIC,
    MOST_MARKS,
    POINT,
    Mark,
    apart,
    counted,
    placed,
    point,
)
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

_PLACES: Final = (*POINT, *ANTHROPIC)


class AgentNotes(Plugin):
    """The notes of an agent of Strands. One may serve several agents."""

    name = "tarimba-agent-notes"

    def __init__(self, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> None:
        super().__init__()
        self._notes = Notes.of(agent_memory, write=write)

    def init_agent(self, agent: Any) -> None:
        if self._notes is not None:
            noted = _Noted(self._notes)
            agent.add_hook(noted.begun, BeforeInvocationEvent)
            agent.add_middleware(InvokeModelStage.Input, noted.asked)


class _Noted:
    """What happens before each run and before each call of the model."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def begun(self, event: BeforeInvocationEvent) -> None:
        """Registers the tools before anything else, so that a run that goes on with a call of one finds it."""
        registry = event.agent.tool_registry
        own = {name.replace("-", "_") for name in registry.registry} - _ours(event.agent)
        for tool in await self._notes.atools():
            # A tool of the caller's with the name of ours is the caller's.
            if tool.name not in own:
                registry.register_tool(_NotesTool(tool))

    async def asked(self, context: InvokeModelContext) -> InvokeModelContext:
        """The call with the notes, and without those of our tools that the server no longer lists."""
        composed = await self._notes.acompose("")
        gone = _ours(context.agent) - {tool.name for tool in await self._notes.atools()}
        offered = [one for one in context.tool_specs if one["name"] not in gone]
        prompt = _prompt(context, composed) if composed.text else context.system_prompt
        return context.replace(system_prompt=prompt, tool_specs=offered)


class _NotesTool(PythonAgentTool):
    """A tool of ours as one of the framework's."""

    def __init__(self, tool: Tool) -> None:
        async def call(use: Mapping[str, Any], **_state: Any) -> dict[str, Any]:
            given = use["input"] if isinstance(use["input"], Mapping) else {}
            content = [{"text": await tool.arun(given)}]
            return {"toolUseId": use["toolUseId"], "status": "success", "content": content}

        schema = {"json": dict(tool.parameters)}
        spec = {"name": tool.name, "description": tool.description, "inputSchema": schema}
        super().__init__(tool.name, spec, call)


def _ours(agent: Any) -> set[str]:
    return {name for name, tool in agent.tool_registry.registry.items() if isinstance(tool, _NotesTool)}


def _prompt(context: InvokeModelContext, composed: Composed) -> Any:
    own: Sequence[Mapping[str, Any]] | str = context.system_prompt or ""
    if not isinstance(own, str) and len(own) == 1 and own[0].keys() == {"text"}:
        # The framework's form of a prompt that was given as text.
        own = str(own[0]["text"])
    mark = _mark_of(context.model) if composed.shared and _marks(context) < MOST_MARKS else {}
    said = placed(own, composed, mark)
    return said if isinstance(said, str) else apart(said)


def _mark_of(model: Any) -> Mark:
    """What tells the model's provider to keep everything up to a block; empty where it takes none."""
    kinds = {kind.__module__ for kind in type(model).__mro__}
    named = str(_config(model).get("model_id"))
    if "strands.models.bedrock" in kinds:
        return point(named)
    is_claude = "strands.models.litellm" in kinds and "claude" in named
    return POINT if is_claude or "strands.models.anthropic" in kinds else {}


def _marks(context: InvokeModelContext) -> int:
    """How many places for marks the call uses up, with those that the model's settings have it set by itself."""
    config = _config(context.model)
    settings = config.get("cache_config")
    tools = config.get("cache_tools") or getattr(settings, "tools_ttl", None)
    by_itself = sum(bool(one) for one in (settings, tools, config.get("cache_prompt")))
    return by_itself + counted([context.system_prompt, context.messages, config.get("params")], _PLACES)


def _config(model: Any) -> Mapping[str, Any]:
    """The settings of a model; empty where one of the caller's own kind keeps them in another form."""
    config = model.get_config()
    return config if isinstance(config, Mapping) else {}
