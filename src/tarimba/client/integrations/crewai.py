"""CrewAI: `agent = with_notes(Agent(...))`, and each request of the agent has its notes, in a crew or alone.

    from crewai import Agent
    from tarimba.client.integrations.crewai import with_notes

    agent = with_notes(
        Agent(role="billing", goal="You collect what is due.", backstory="...", llm="openai/gpt-5.6")
    )
    with customer_context(context):
        answer = agent.kickoff(question)

The notes follow what CrewAI makes of role, goal and backstory, and precede tasks and history; no history keeps them.
An agent without a system prompt (`use_system_prompt=False`, or templates of your own) has them before its prompt.
Anthropic's models and OpenAI's (chat completions, from gpt-5.6 on) are told to cache everything up to the notes beside
the marks that CrewAI sets, and OpenAI's are given one key for each agent. What its model is asked by others than the
agent, such as converters, has no notes. `search_agent_memory` is among the agent's tools for as long as the server
lists it for the key; a task that lists tools has those alone, so list `agent.tools` there too.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

from crewai import Agent, BaseLLM
from crewai.tools import BaseTool
from pydantic import BaseModel, ConfigDict, PrivateAttr

from tarimba.client.integrations.crewai_models import noted
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool


def with_notes(agent: Agent, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Agent:
    """An agent like `agent` with the notes; `agent` itself stays as it was.

    Asks the server for the tools, at most for the budget of a block (300 ms), so make agents before a loop runs.
    Raises TypeError for what is no agent of CrewAI's own with a model.
    """
    if not isinstance(agent, Agent) or not isinstance(agent.llm, BaseLLM):
        raise TypeError("Notes go to an Agent that has a model; for a crew, to each of its agents.")
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return agent
    own = [tool for tool in agent.tools or () if not isinstance(tool, _NotesTool)]
    named = {tool.name for tool in own}
    added = [_tool(tool) for tool in notes.tools() if tool.name not in named]
    instructions = repr([agent.role, agent.goal, agent.backstory])
    changed = {
        "llm": noted(agent.llm, notes, [tool.name for tool in added], instructions),
        "tools": [*own, *added],
        # What runs an agent knows which; this one makes its own.
        "agent_executor": None,
    }
    copied: Agent = agent.model_copy(update=changed)
    return copied


class _Arguments(BaseModel):
    """A tool's arguments as the server describes them; the tool itself reads them."""

    model_config = ConfigDict(extra="allow")
    described: ClassVar[dict[str, Any]] = {}

    @classmethod
    def model_json_schema(cls, *_given: Any, **_named: Any) -> dict[str, Any]:
        return deepcopy(cls.described)


class _NotesTool(BaseTool):
    _tool: Tool = PrivateAttr()

    def _run(self, **given: Any) -> str:
        return self._tool.run(given)

    async def _arun(self, **given: Any) -> str:
        return await self._tool.arun(given)


def _tool(tool: Tool) -> _NotesTool:
    arguments = type(tool.name, (_Arguments,), {"described": dict(tool.parameters), "__module__": __name__})
    made = _NotesTool(name=tool.name, description=tool.description, args_schema=arguments)
    made._tool = tool  # noqa: SLF001 - a field would be among what CrewAI writes of a tool
    return made
