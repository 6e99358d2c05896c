"""LiveKit Agents: `agent = with_notes(Agent(...))`, and each of its turns has the agent's notes.

    from livekit.agents import Agent, AgentSession
    from tarimba.client.integrations.livekit import with_notes

    agent = with_notes(Agent(instructions="You collect what is due."))
    with customer_context(context):
        await session.start(agent, room=room)

The notes end the instructions of the agent and precede their `dynamic` part and the customer's context; they go into
requests alone, never into the history of the session. OpenAI's models from gpt-5.6 on are told to cache everything up
to them: the mark with which the framework ends the instructions ends the notes. Other models get one text, where there
is no place for a mark. Give `openai.LLM` a `prompt_cache_key` for each agent. `search_agent_memory` is among the tools
for as long as the server lists it for the key. What an `llm_node` of your own adds to its context is in that request
alone. A realtime model asks no `llm_node`, so it has no notes.
"""

from __future__ import annotations

import inspect
from typing import Any

from livekit.agents import llm
from livekit.agents.llm.chat_context import DYNAMIC_INSTRUCTIONS_MESSAGE_ID
from livekit.agents.voice.generation import INSTRUCTIONS_MESSAGE_ID

from tarimba.client.composing import Composed
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool


def with_notes(agent: Any, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Any:
    """The agent itself, whose `llm_node` now has the notes, also where the agent's class has a node of its own.

    An agent keeps its session's state and its tools are bound to it, so there is no second one beside it.
    """
    notes = Notes.of(agent_memory, write=write)
    if notes is not None:
        agent.llm_node = _Node(notes, agent.llm_node)
    return agent


class _Node:
    """What the framework asks for an answer: the agent's own node, with the notes."""

    def __init__(self, notes: Notes, own: Any) -> None:
        self._notes = notes
        # Adapting twice is adapting once.
        self.own: Any = own.own if isinstance(own, _Node) else own

    async def __call__(self, chat_ctx: Any, tools: list[Any], model_settings: Any) -> Any:
        named = {tool.id for tool in tools}
        # The framework takes what a node adds to this list among the tools of the turn.
        tools += [_function_tool(tool) for tool in await self._notes.atools() if tool.name not in named]
        answer = self.own(await self._noted(chat_ctx), tools, model_settings)
        return await answer if inspect.iscoroutine(answer) else answer

    async def _noted(self, chat_ctx: Any) -> Any:
        """A context like `chat_ctx`, which becomes the session's history and so stays as it was."""
        own = chat_ctx.get_by_id(INSTRUCTIONS_MESSAGE_ID)
        composed = await self._notes.acompose((own.raw_text_content if own else "") or "")
        if not composed.text:
            return chat_ctx
        dynamic = chat_ctx.get_by_id(DYNAMIC_INSTRUCTIONS_MESSAGE_ID)
        others = [item for item in chat_ctx.items if item is not own and item is not dynamic]
        at = chat_ctx.index_by_id(INSTRUCTIONS_MESSAGE_ID) or 0
        return llm.ChatContext([*others[:at], *_system(own, dynamic, composed), *others[at:]])


def _system(own: Any, dynamic: Any, composed: Composed) -> list[Any]:
    """The instructions with the notes, and what differs between calls in the framework's message for that."""
    marks = [one for one in own.content if not isinstance(one, str)] if own else []
    told = [(dynamic.raw_text_content if dynamic else "") or "", composed.customer.strip("\n")]
    differing = "\n\n".join(text for text in told if text)
    return [
        _message(INSTRUCTIONS_MESSAGE_ID, [composed.shared, *marks]),
        *([_message(DYNAMIC_INSTRUCTIONS_MESSAGE_ID, [differing])] if differing else []),
    ]


def _message(item_id: str, content: list[Any]) -> Any:
    return llm.ChatMessage(id=item_id, role="system", content=content)


def _function_tool(tool: Tool) -> Any:
    async def call(raw_arguments: dict[str, object]) -> str:
        return await tool.arun(raw_arguments)

    schema = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return llm.function_tool(call, raw_schema=schema)
