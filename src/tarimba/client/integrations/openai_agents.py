"""OpenAI Agents: `agent = with_notes(agent)`, and each of its runs has the agent's notes.

    from agents import Agent, Runner
    from tarimba.client.integrations.openai_agents import with_notes

    agent = with_notes(Agent("billing", instructions="You collect what is due."))
    with customer_context(context):
        answer = Runner.run_sync(agent, question)

The notes follow the agent's own instructions, also those that a function gives, and never enter a session's history.
`search_agent_memory` is among the tools for as long as the server lists it for the key. Responses take no mark inside
instructions; give all runs of an agent one key, or the framework makes one for each:
`ModelSettings(extra_args={"prompt_cache_key": "billing"})`.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from agents import Agent, FunctionTool, RunContextWrapper
from agents.tool_context import ToolContext

from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool


def with_notes(agent: Agent[Any], agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Agent[Any]:
    """An agent like `agent` with the notes; `agent` itself stays as it was.

    Asks the server for the tools, at most for the budget of a block (300 ms), so make agents before the loop runs.
    """
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return agent
    own = {tool.name for tool in agent.tools}
    added = [_function_tool(notes, tool) for tool in notes.tools() if tool.name not in own]
    return agent.clone(instructions=_Instructions(notes, agent.instructions), tools=[*agent.tools, *added])


class _Instructions:
    """What the framework asks for before each request: the agent's own instructions, then the notes."""

    def __init__(self, notes: Notes, own: Any) -> None:
        self._notes = notes
        # Adapting twice is adapting once.
        self.own: Any = own.own if isinstance(own, _Instructions) else own

    async def __call__(self, run: RunContextWrapper[Any], agent: Agent[Any]) -> str:
        own = self.own(run, agent) if callable(self.own) else self.own
        said = await own if inspect.isawaitable(own) else own
        return (await self._notes.acompose(said or "")).text


def _function_tool(notes: Notes, tool: Tool) -> FunctionTool:
    async def invoke(_run: ToolContext[Any], arguments: str) -> str:
        return await tool.arun(_read(arguments))

    async def is_listed(_run: RunContextWrapper[Any], _agent: Any) -> bool:
        return any(one.name == tool.name for one in await notes.atools())

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=dict(tool.parameters),
        on_invoke_tool=invoke,
        # Its arguments may be left out, which a strict schema does not allow.
        strict_json_schema=False,
        is_enabled=is_listed,
    )


def _read(arguments: str) -> dict[str, Any]:
    try:
        given = json.loads(arguments)
    except ValueError:
        # The tool then asks the model for what it needs.
        given = {}
    return given if isinstance(given, dict) else {}
