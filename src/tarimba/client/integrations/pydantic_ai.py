"""Pydantic AI: `Agent(..., capabilities=[AgentNotes()])`, and each of its requests has the agent's notes.

    from pydantic_ai import Agent
    from tarimba.client.integrations.pydantic_ai import AgentNotes

    agent = Agent("openai:gpt-5.6", instructions="You collect what is due.", capabilities=[AgentNotes()])
    with customer_context(context):
        answer = agent.run_sync(question)

The notes follow the literal instructions and precede those that functions give for a run (the customer's context may
be one of them). They go into requests alone, never into the messages of a run. Anthropic's and OpenAI's models are told
to cache everything up to the notes, unless you say otherwise in `ModelSettings`. `search_agent_memory` is among the
tools for as long as the server lists it for the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic_ai import FunctionToolset, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import ModelRequestContext

from tarimba.client.composing import CUSTOMER, Composed
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool as NotesTool

# The framework puts this mark behind the last part that is the same for all runs, and counts the marks itself.
_MARK: Final = {"anthropic_cache_instructions": True, "openai_cache_instructions": True}


class AgentNotes(AbstractCapability[Any]):
    """The notes of an agent of Pydantic AI."""

    def __init__(self, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> None:
        self._notes = Notes.of(agent_memory, write=write)

    def get_toolset(self) -> Any:
        notes = self._notes
        if notes is None:
            return None

        async def listed(_run: RunContext[Any]) -> FunctionToolset[Any]:
            return FunctionToolset([_tool(tool) for tool in await notes.atools()])

        return listed

    async def prepare_model_request(
        self,
        ctx: RunContext[Any],  # noqa: ARG002 - the framework names its arguments
        request_context: ModelRequestContext,
    ) -> ModelRequestContext:
        if self._notes is None:
            return request_context
        composed = await self._notes.acompose("")
        if not composed.text:
            return request_context
        asked = request_context.model_request_parameters
        parts = _placed(asked.instruction_parts or [], composed)
        settings = (
            _marked(request_context.model_settings) if composed.shared else request_context.model_settings
        )
        return replace(
            request_context,
            model_request_parameters=replace(asked, instruction_parts=parts),
            model_settings=settings,
        )


def _tool(tool: NotesTool) -> Tool[Any]:
    async def call(**given: Any) -> str:
        return await tool.arun(given)

    return Tool.from_schema(call, tool.name, tool.description, dict(tool.parameters))


def _placed(parts: list[InstructionPart], composed: Composed) -> list[InstructionPart]:
    """The literal parts, the notes, then what differs between runs."""
    literal: list[InstructionPart] = []
    differing: list[InstructionPart] = []
    for part in parts:
        if part.content.startswith("<agent_notes>"):
            # Another of these was here first; these are as fresh.
            continue
        own, found, customer = part.content.partition(CUSTOMER)
        if part.dynamic or differing:
            differing.append(replace(part, dynamic=True))
        elif found:
            literal += [replace(part, content=own.rstrip("\n"))] if own.strip() else []
            differing.append(InstructionPart(found + customer, dynamic=True))
        else:
            literal.append(part)
    notes = [InstructionPart(composed.shared)] if composed.shared else []
    context = composed.customer.strip("\n")
    given = [InstructionPart(context, dynamic=True)] if context else []
    return [*literal, *notes, *differing, *given]


def _marked(settings: Any) -> Any:
    """The settings with a mark behind the notes, unless the caller said something about caching."""
    said: Mapping[str, Any] = settings or {}
    return settings if any("cache" in name for name in said) else {**said, **_MARK}
