"""Agno: `agent = with_notes(Agent(...))`, and each request of its runs has the agent's notes.

    from agno.agent import Agent
    from agno.models.anthropic import Claude
    from tarimba.client.integrations.agno import with_notes

    agent = with_notes(Agent(model=Claude(id="claude-sonnet-5-5"), instructions="You collect what is due."))
    with customer_context(context):
        answer = agent.run(question)

The notes follow what Agno makes of the instructions (and `additional_context`), and precede memories, summaries and
state of a user. They go into requests alone: what a database keeps of a run has `<agent_notes/>` in their place. Also
for the models that the agent falls back to; what its model writes beside its runs, such as memories, has none. Claude's
models and OpenAI's (from gpt-5.6 on) are told to cache everything up to the notes, and OpenAI's are given one key for
all runs with the same instructions. `search_agent_memory` is among the tools for as long as the server lists it for the
key. For a team, give notes to its members.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from agno.agent import Agent
from agno.models.fallback import FallbackConfig
from agno.models.utils import get_model
from agno.tools import Toolkit
from agno.tools.function import Function

from tarimba.client.integrations.agno_models import PLACE, Adapted, noted
from tarimba.client.integrations.blocks import part
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool


def with_notes(agent: Agent, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Agent:
    """An agent like `agent` with the notes; `agent` itself stays as it was.

    Asks the server for the tools, at most for the budget of a block (300 ms), so make agents before the loop runs.
    Raises TypeError for what is no agent, for one without a model, and for one whose tools a function gives.
    """
    if not isinstance(agent, Agent) or agent.model is None:
        raise TypeError("Notes go to an Agent that has a model; for a team, to each of its members.")
    if callable(agent.tools):
        raise TypeError("Notes bring tools, so list the agent's tools instead of a function that gives them.")
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return agent
    changed = copy(agent)
    changed.set_id()
    own = [tool for tool in agent.tools or () if not isinstance(tool, _NotesTools)]
    named = {name for tool in own for name in _names(tool)}
    tools = [tool for tool in notes.tools() if tool.name not in named]
    changed.tools = [*own, _NotesTools(tools)]
    changed.additional_context = _with_place(agent.additional_context or "")
    adapted = Adapted(notes, str(changed.id), frozenset(tool.name for tool in tools), _instructions(agent))
    changed.model = noted(get_model(agent.model), adapted)
    if agent.fallback_config is not None:
        changed.fallback_config = _fallbacks(agent.fallback_config, adapted)
    return changed


def _with_place(context: str) -> str:
    return context if PLACE in context else f"{context}\n{PLACE}".lstrip("\n")


def _instructions(agent: Agent) -> str:
    said = [agent.description, agent.role, agent.system_message, agent.instructions]
    return "" if any(callable(one) for one in said) else repr([str(one or "") for one in said])


def _fallbacks(own: FallbackConfig, adapted: Adapted) -> FallbackConfig:
    return replace(
        own,
        on_error=[noted(get_model(model), adapted) for model in own.on_error],
        on_rate_limit=[noted(get_model(model), adapted) for model in own.on_rate_limit],
        on_context_overflow=[noted(get_model(model), adapted) for model in own.on_context_overflow],
    )


def _names(tool: Any) -> list[str]:
    """Of one of the caller's tools, in the forms that Agno takes."""
    if isinstance(tool, Toolkit):
        return list(tool.get_async_functions())
    return [str(part(tool, "name") or getattr(tool, "__name__", ""))]


class _NotesTools(Toolkit):
    """The tools of the notes, each for both kinds of run."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        super().__init__(
            name="agent_notes", tools=[one for tool in tools for one in (_function(tool), _awaited(tool))]
        )


def _function(tool: Tool) -> Function:
    def call(**given: Any) -> str:
        return tool.run(given)

    return _described(tool, call)


def _awaited(tool: Tool) -> Function:
    async def call(**given: Any) -> str:
        return await tool.arun(given)

    return _described(tool, call)


def _described(tool: Tool, call: Any) -> Function:
    return Function(
        name=tool.name,
        description=tool.description,
        parameters=dict(tool.parameters),
        entrypoint=call,
        skip_entrypoint_processing=True,
        # Its arguments may be left out, which a strict schema does not allow.
        strict=False,
    )
