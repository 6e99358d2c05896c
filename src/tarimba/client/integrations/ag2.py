"""AG2: `Agent(..., plugins=[AgentNotes()])`, and each call of its model has the agent's notes.

    from ag2 import Agent
    from ag2.config import OpenAIConfig
    from tarimba.client.integrations.ag2 import AgentNotes

    config = OpenAIConfig("gpt-5.6", prompt_cache_key="billing")
    agent = Agent("billing", "You collect what is due.", config=config, plugins=[AgentNotes()])
    with customer_context(context):
        reply = await agent.ask(question)

For AG2 from 1.0 on. The notes follow the prompts that are texts and precede those that functions give for a turn (the
customer's context may be one of them); they are in no history. `search_agent_memory` is among the tools for as long as
the server lists it for the key. AG2 makes one text of all prompts, so there is no place for a mark behind the notes;
give the agent a `prompt_cache_key`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Final

from ag2 import Context, Plugin
from ag2.events import BaseEvent, ModelResponse
from ag2.middleware import BaseMiddleware, LLMCall, Middleware
from ag2.tools import tool
from ag2.tools.final import FunctionTool

from tarimba.client.composing import Composed, compose
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

# Where a plugin's prompt comes to stand: behind the agent's texts, before what functions give for a turn. Empty notes,
# so that a prompt which is kept and composed again without the plugin says nothing.
_PLACE: Final = "<agent_notes>\n\n</agent_notes>"


class AgentNotes(Plugin):
    """The notes of an agent of AG2.

    Asks the server for the tools when it is made, at most for the budget of a block (300 ms).
    """

    def __init__(self, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> None:
        notes = Notes.of(agent_memory, write=write)
        if notes is None:
            super().__init__()
            return
        super().__init__(
            prompt=_PLACE,
            tools=[_noted(notes, one) for one in notes.tools()],
            middleware=[Middleware(_Placing, notes=notes)],
        )


class _Placing(BaseMiddleware):
    """Puts the notes into what a model is asked, and leaves the prompts of the turn as they were."""

    def __init__(self, event: BaseEvent, context: Context, *, notes: Notes) -> None:
        super().__init__(event, context)
        self._notes = notes

    async def on_llm_call(
        self, call_next: LLMCall, events: Sequence[BaseEvent], context: Context
    ) -> ModelResponse:
        composed = await self._notes.acompose("")
        own = context.prompt
        context.prompt = _placed(own, composed)
        try:
            return await call_next(events, context)
        finally:
            context.prompt = own


class _NotedTool(FunctionTool):
    """A tool of ours that is offered while the server lists it. A tool of the agent's own with its name wins."""

    __slots__ = ("notes",)
    declared_in_code = False
    notes: Notes

    async def schemas(self, context: Context) -> list[Any]:
        listed = await self.notes.atools()
        return list(await super().schemas(context)) if any(one.name == self.name for one in listed) else []

    def __deepcopy__(self, _seen: dict[int, Any]) -> _NotedTool:
        """An agent copies its tools, whose client has connections that can't be copied."""
        return copy(self)


def _noted(notes: Notes, one: Tool) -> FunctionTool:
    async def call(**given: Any) -> str:
        return await one.arun(given)

    made = tool(call, name=one.name, description=one.description, schema=dict(one.parameters))
    noted = _NotedTool(
        made.model, name=one.name, description=one.description, schema=made.schema.function.parameters
    )
    noted.notes = notes
    return noted


def _placed(prompts: Iterable[str], composed: Composed) -> list[str]:
    """The agent's texts, the notes, then what differs between turns. AG2 joins them by line."""
    given = list(prompts)
    at = given.index(_PLACE) if _PLACE in given else len(given)
    own = compose("\n".join(given[:at]), composed.shared)
    differing = [one for one in given[at:] if one != _PLACE]
    placed = [own.shared, own.customer.strip("\n"), *differing, composed.customer.strip("\n")]
    return [one for one in placed if one]
