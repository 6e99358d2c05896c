"""LangGraph: `create_agent(..., middleware=[AgentNotes()])`, and each call of the model has the agent's notes.

    from langchain.agents import create_agent
    from tarimba.client.integrations.langgraph import AgentNotes

    agent = create_agent(model, tools=[post_credit], system_prompt="...", middleware=[AgentNotes()])
    with customer_context(context):
        answer = agent.invoke({"messages": [("human", question)]})

The notes go into the system message of a request alone, never into the state that a checkpointer keeps. Anthropic's and
OpenAI's models (from gpt-5.6 on) are told to cache everything up to the notes; marks of the caller, and those of
`AnthropicPromptCachingMiddleware` listed behind this one, stay where they are. `search_agent_memory` is among the
agent's tools. `langgraph_store` has the notes as a `BaseStore`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest
from langchain_core.messages import SystemMessage

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import MOST_MARKS, placed
from tarimba.client.integrations.langchain import structured
from tarimba.client.integrations.langchain_blocks import mark_of, marks
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool


class AgentNotes(AgentMiddleware[Any, Any]):
    """The notes of an agent made by `create_agent`.

    Asks the server for the tools when it is made, at most for the budget of a block (300 ms); a tool that the server
    no longer lists for the key is not offered to the model any more.
    """

    def __init__(self, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> None:
        super().__init__()
        self._notes = Notes.of(agent_memory, write=write)
        self.tools = [structured(tool) for tool in self._notes.tools()] if self._notes else []

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        if self._notes is None:
            return handler(request)
        return handler(self._with(request, self._notes.compose(""), self._notes.tools()))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]
    ) -> Any:
        if self._notes is None:
            return await handler(request)
        composed, tools = await self._notes.acompose(""), await self._notes.atools()
        return await handler(self._with(request, composed, tools))

    def _with(
        self, request: ModelRequest[Any], composed: Composed, listed: tuple[Tool, ...]
    ) -> ModelRequest[Any]:
        gone = {tool.name for tool in self.tools} - {tool.name for tool in listed}
        offered = [tool for tool in request.tools if getattr(tool, "name", None) not in gone]
        if not composed.text:
            return request.override(tools=offered)
        system = request.system_message or SystemMessage("")
        mark = mark_of(request.model) if _marks(request) < MOST_MARKS else {}
        said = system.model_copy(update={"content": placed(system.content, composed, mark)})
        return request.override(system_message=said, tools=offered)


def _marks(request: ModelRequest[Any]) -> int:
    system = request.system_message.content if request.system_message else []
    said = [message.content for message in request.messages]
    return marks(system) + marks(said) + marks(request.tools) + marks(request.model_settings)
