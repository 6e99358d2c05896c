"""Pipecat: `llm = with_notes(OpenAILLMService(...))`, and each of its turns has the agent's notes.

    from pipecat.services.openai.llm import OpenAILLMService
    from tarimba.client.integrations.pipecat import with_notes

    llm = with_notes(OpenAILLMService(settings=OpenAILLMService.Settings(system_instruction=instructions)))
    worker = PipelineWorker(Pipeline([transport.input(), stt, user, llm, tts, transport.output(), assistant]))
    with customer_context(context):
        await runner.run(worker)

The notes follow `system_instruction` (or the system message that leads the context) and go into requests alone, never
into the context. OpenAI's models from gpt-5.6 on are told to cache everything up to them, and Anthropic's with
`enable_prompt_caching`; a prompt cache key for each agent goes into `Settings(extra={"prompt_cache_key": "billing"})`.
`search_agent_memory` is among the tools for as long as the server lists it for the key. Takes services that ask a model
turn by turn; `run_inference`, which summaries use, has no notes, and neither have realtime services.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final

from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import Frame, LLMContextFrame
from pipecat.processors.aggregators.llm_context import LLMContext

from tarimba.client.integrations.blocks import (
    ANTHROPIC,
    MOST_MARKS,
    OPENAI,
    Block,
    Mark,
    counted,
    openai_mark,
    placed,
)
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

# The context that a turn of a conversation is about, while the service answers it.
_TURN: Final[ContextVar[Any]] = ContextVar("tarimba_pipecat_turn", default=None)


def with_notes(llm: Any, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Any:
    """The service itself, whose turns now have the notes: it holds its connections, so there is no second one."""
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return llm
    adapter = llm.get_llm_adapter()
    adapter.get_llm_invocation_params = _Asked(llm, notes, adapter.get_llm_invocation_params)
    if not isinstance(llm.process_frame, _Turns):
        llm.process_frame = _Turns(llm.process_frame)
    return llm


class _Turns:
    """Tells the turns of a conversation from what else a service is asked."""

    def __init__(self, own: Any) -> None:
        self._own = own

    async def __call__(self, frame: Frame, direction: Any) -> None:
        token = _TURN.set(frame.context if isinstance(frame, LLMContextFrame) else None)
        try:
            await self._own(frame, direction)
        finally:
            _TURN.reset(token)


class _Asked:
    """What the framework asks for a provider's form of a context, just before it sends it."""

    def __init__(self, llm: Any, notes: Notes, own: Any) -> None:
        self._llm = llm
        self._notes = notes
        # Adapting twice is adapting once.
        self.own: Any = own.own if isinstance(own, _Asked) else own

    async def __call__(self, context: Any, **named: Any) -> Any:
        if context is not _TURN.get():
            return await self.own(context, **named)
        composed = await self._notes.acompose("")
        messages = list(context.get_messages())
        if composed.text and not named.get("system_instruction") and _has_system(messages):
            messages[0] = messages[0] | {"content": placed(messages[0]["content"], composed, {})}
        elif composed.text:
            named["system_instruction"] = placed(named.get("system_instruction"), composed, {})
        # The context is the conversation's history, so it stays as it is.
        asked = LLMContext(messages, await self._tools(context.tools), context.tool_choice)
        params = await self.own(asked, **named)
        return _marked(params, composed.shared, str(self._llm.settings.model)) if composed.shared else params

    async def _tools(self, own: Any) -> Any:
        """The tools of a context with ours, which the service knows to carry out from now on."""
        schema = own if isinstance(own, ToolsSchema) else ToolsSchema([])
        named = {one.name for one in schema.standard_tools}
        added = [tool for tool in await self._notes.atools() if tool.name not in named]
        for tool in added:
            self._llm.register_function(tool.name, _handler(tool))
        described = [*schema.standard_tools, *map(_schema, added)]
        return ToolsSchema(described, schema.custom_tools) if added else own


def _has_system(messages: list[Any]) -> bool:
    return bool(messages) and isinstance(messages[0], dict) and messages[0].get("role") == "system"


def _handler(tool: Tool) -> Any:
    async def call(params: Any) -> None:
        # The framework writes JSON of what it is given, and a tool's text is JSON already.
        await params.result_callback(json.loads(await tool.arun(params.arguments)))

    return call


def _schema(tool: Tool) -> FunctionSchema:
    asked = tool.parameters
    return FunctionSchema(
        tool.name, tool.description, dict(asked.get("properties", {})), list(asked.get("required", ()))
    )


def _marked(params: Mapping[str, Any], notes: str, model: str) -> Mapping[str, Any]:
    """A provider's parameters with a mark behind the notes, where provider and framework have a place for one."""
    parts = [params.get(name) for name in ("system", "messages", "tools")]
    if counted(parts, {*ANTHROPIC, *OPENAI}) >= MOST_MARKS:
        return params
    match params:
        # With caching the framework marks the end of the system prompt, which is the customer's.
        case {"system": [{"text": str() as text, "cache_control": kept}]} if notes in text:
            mark = {"cache_control": kept}
            return {**params, "system": _divided(text, notes, mark, mark)}
        case {"messages": [{"role": "system", "content": str() as text} as first, *others]} if notes in text:
            noted = first | {"content": _divided(text, notes, openai_mark(model), {})}
            return {**params, "messages": [noted, *others]} if openai_mark(model) else params
    return params


def _divided(text: str, notes: str, mark: Mark, last: Mark) -> list[Block]:
    """The text in two blocks, the first with a mark behind the notes; `last` is the mark of its end."""
    end = text.index(notes) + len(notes)
    pieces = [(text[:end], mark), (text[end:], last)]
    return [{"type": "text", "text": piece, **its} for piece, its in pieces if piece]
