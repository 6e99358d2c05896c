"""Microsoft Agent Framework: `Agent(..., context_providers=[AgentNotes()])`, and its runs have the agent's notes.

    from agent_framework import Agent
    from agent_framework.openai import OpenAIChatCompletionClient
    from tarimba.client.integrations.agent_framework import AgentNotes

    client = OpenAIChatCompletionClient(model="gpt-5.6")
    agent = Agent(client, "You collect what is due.", context_providers=[AgentNotes()])
    with customer_context(context):
        answer = await agent.run(question)

The notes follow the instructions of each request and never enter a session. Anthropic's models, and OpenAI's (from
gpt-5.6 on) in chat completions, are told to cache everything up to the notes; responses have no place for that. All
requests to OpenAI with the same instructions have one `prompt_cache_key`, unless the options have one.
`search_agent_memory` is among the tools of a run for as long as the server lists it for the key.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

from agent_framework import ChatContext, ChatMiddleware, Content, ContextProvider, FunctionTool, Message

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import (
    ANTHROPIC,
    MOST_MARKS,
    OPENAI,
    Block,
    Mark,
    counted,
    openai_key,
    openai_mark,
    placed,
)
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

_ANTHROPIC: Final = "agent_framework_anthropic._chat_client"
_COMPLETIONS: Final = "agent_framework_openai._chat_completion_client"
_RESPONSES: Final = "agent_framework_openai._chat_client"


class AgentNotes(ContextProvider):
    """The notes of an agent. One may serve several agents."""

    def __init__(self, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> None:
        super().__init__("tarimba-agent-notes")
        self._notes = Notes.of(agent_memory, write=write)

    async def before_run(self, *, agent: Any, context: Any, **_run: Any) -> None:
        if self._notes is None:
            return
        own = set(_names(agent, context))
        listed = await self._notes.atools()
        context.extend_tools(
            self.source_id, [_function_tool(tool) for tool in listed if tool.name not in own]
        )
        # What keeps each call of the model would keep a message of ours too.
        keeps_calls = getattr(agent, "require_per_service_call_history_persistence", False)
        context.extend_middleware(self.source_id, _Asked(self._notes, may_lead=not keeps_calls))


class _Asked(ChatMiddleware):
    """Before each call of the model: the notes."""

    def __init__(self, notes: Notes, *, may_lead: bool) -> None:
        self._notes = notes
        self._may_lead = may_lead

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        composed = await self._notes.acompose("")
        if composed.text:
            self._place(context, composed)
        await call_next()

    def _place(self, context: ChatContext, composed: Composed) -> None:
        options = dict(context.options or {})
        own = options.get("instructions")
        mark = _mark_of(context) if composed.shared and _marks(context) < MOST_MARKS else {}
        if "prompt_cache_key" not in options:
            options |= _key(context, own)
        if mark == OPENAI and self._may_lead:
            # Only a message has parts that can be marked.
            options.pop("instructions", None)
            lead = Message("system", [_content(block) for block in placed(own, composed, mark)])
            context.messages = [lead, *context.messages]
        else:
            options["instructions"] = _instructions(own, composed, mark if mark == ANTHROPIC else {})
        context.options = options


def _names(agent: Any, context: Any) -> Iterable[str]:
    """The names of the tools that a run has without ours, where the framework tells them."""
    configured = (getattr(agent, "default_options", None) or {}).get("tools") or ()
    servers = getattr(agent, "mcp_tools", ())
    for tool in (*configured, *context.tools, *(one for server in servers for one in server.functions)):
        name = getattr(tool, "name", None) or getattr(tool, "__name__", None)
        if isinstance(name, str):
            yield name


def _function_tool(tool: Tool) -> FunctionTool:
    async def call(**given: Any) -> str:
        return await tool.arun(given)

    return FunctionTool(
        name=tool.name, description=tool.description, func=call, input_model=dict(tool.parameters)
    )


def _instructions(own: Any, composed: Composed, mark: Mark) -> Any:
    said = placed([own] if isinstance(own, Mapping) else own, composed, mark)
    if isinstance(said, str) or mark or not all(isinstance(one, str) for one in own):
        return said
    # A list of texts stays one: most clients know nothing else.
    return [block["text"] for block in said]


def _content(block: Block) -> Content:
    marks = {name: value for name, value in block.items() if name in OPENAI}
    return Content.from_text(block["text"], additional_properties=marks or None)


def _mark_of(context: ChatContext) -> Mark:
    """What tells the client's provider to keep everything up to a block; empty where it takes none."""
    kinds = _kinds(context.client)
    leads = bool(context.messages) and context.messages[0].role == "system"
    if _ANTHROPIC in kinds:
        # That client takes instructions in blocks only without a system message beside them.
        return {} if leads else ANTHROPIC
    return openai_mark(_model(context)) if _COMPLETIONS in kinds else {}


def _marks(context: ChatContext) -> int:
    said = [content.additional_properties for message in context.messages for content in message.contents]
    return counted([context.options or {}, said], (*ANTHROPIC, *OPENAI))


def _key(context: ChatContext, own: Any) -> dict[str, str]:
    is_openais = not _kinds(context.client).isdisjoint({_COMPLETIONS, _RESPONSES})
    return (
        openai_key(_model(context), own if isinstance(own, str) else repr(own)) if is_openais and own else {}
    )


def _kinds(client: Any) -> set[str]:
    return {kind.__module__ for kind in type(client).__mro__}


def _model(context: ChatContext) -> str:
    options: Mapping[str, Any] = context.options or {}
    return str(options.get("model") or getattr(context.client, "model", ""))
