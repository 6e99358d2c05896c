"""Semantic Kernel: `service = with_notes(OpenAIChatCompletion(...))`, and each of its calls has the agent's notes.

    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
    from tarimba.client.integrations.semantic_kernel import with_notes

    service = with_notes(OpenAIChatCompletion("gpt-5.6"))
    agent = ChatCompletionAgent(service=service, instructions="You collect what is due.")
    with customer_context(context):
        answer = await agent.get_response(question)

Also for a kernel's prompts and for calls of the service itself. The notes follow the system message and never enter a
chat history or a thread. `search_agent_memory` is among the functions that the kernel offers, for as long as the server
lists it for the key, wherever the settings have a `function_choice_behavior`; its plugin is called `tarimba`. The
framework has no place for a provider's mark; all requests to OpenAI with the same system message have one
`prompt_cache_key`, unless `extra_body` has one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from copy import copy
from types import new_class
from typing import Any, Final

from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.contents import AuthorRole, ChatMessageContent, TextContent
from semantic_kernel.functions import (
    KernelFunctionFromMethod,
    KernelParameterMetadata,
    KernelPlugin,
    kernel_function,
)

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import openai_key, placed
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

_PLUGIN: Final = "tarimba"
_SYSTEM: Final = frozenset({AuthorRole.SYSTEM, AuthorRole.DEVELOPER})
# Azure's service is in another module: older versions of its API refuse fields that they don't know.
_OPENAI: Final = "semantic_kernel.connectors.ai.open_ai.services.open_ai_chat_completion"


def with_notes(service: Any, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> Any:
    """A service like `service` with the notes; `service` itself stays as it was.

    Raises TypeError for a service that is not for chats.
    """
    if not isinstance(service, ChatCompletionClientBase):
        raise TypeError("Notes go to a service for chats, such as OpenAIChatCompletion.")
    notes = Notes.of(agent_memory, write=write)
    if notes is None:
        return service
    own, noted = type(service), copy(service)
    if not isinstance(service, _Noted):
        object.__setattr__(noted, "__class__", new_class(own.__name__, (_Noted, own)))
    # A service is a model of pydantic whose fields are its settings; the notes are none of them.
    object.__setattr__(noted, "_agent_notes", notes)
    return noted


class _Noted:
    """What a service does for a turn, with our tools, and for each call of its model, with the notes."""

    _agent_notes: Notes

    async def get_chat_message_contents(self, chat_history: Any, settings: Any, **more: Any) -> Any:
        more |= await self._offering(more.get("kernel"))
        return await super().get_chat_message_contents(chat_history, settings, **more)  # type: ignore[misc]

    async def get_streaming_chat_message_contents(
        self, chat_history: Any, settings: Any, **more: Any
    ) -> AsyncIterator[Any]:
        more |= await self._offering(more.get("kernel"))
        async for said in super().get_streaming_chat_message_contents(  # type: ignore[misc]
            chat_history, settings, **more
        ):
            yield said

    async def _inner_get_chat_message_contents(self, chat_history: Any, settings: Any) -> Any:
        asked = await self._asked(chat_history, settings)
        return await super()._inner_get_chat_message_contents(*asked)  # type: ignore[misc]

    async def _inner_get_streaming_chat_message_contents(
        self, chat_history: Any, settings: Any, *attempt: int
    ) -> AsyncIterator[Any]:
        asked = await self._asked(chat_history, settings)
        async for said in super()._inner_get_streaming_chat_message_contents(  # type: ignore[misc]
            *asked, *attempt
        ):
            yield said

    async def _offering(self, kernel: Any) -> dict[str, Any]:
        """A kernel like the caller's for one turn, with what the server lists for the key now."""
        if kernel is None:
            return {}
        own = {name: plugin for name, plugin in kernel.plugins.items() if name != _PLUGIN}
        listed = await self._agent_notes.atools()
        # A function of the caller's with the name of ours is the caller's.
        ours = [tool for tool in listed if not any(tool.name in plugin for plugin in own.values())]
        plugins = own | ({_PLUGIN: _plugin(ours)} if ours else {})
        return {"kernel": kernel.model_copy(update={"plugins": plugins})}

    async def _asked(self, chat_history: Any, settings: Any) -> tuple[Any, Any]:
        """The messages and settings of one call. What the rounds of a turn add goes to the caller's own."""
        composed, asked = await self._agent_notes.acompose(""), settings.model_copy()
        own = getattr(asked, "system", None)
        if isinstance(own, str) and composed.text:
            # Anthropic's settings may have the system prompt, and then that of the messages is not sent.
            asked.system = placed(own, composed, {})
            return chat_history, asked
        messages = chat_history.messages
        lead = next((one for one in messages if one.role in _SYSTEM), None)
        if lead is not None and _OPENAI in {kind.__module__ for kind in type(self).__mro__}:
            key = openai_key(str(asked.ai_model_id or self.ai_model_id), lead.content)  # type: ignore[attr-defined]
            asked.extra_body = key | (asked.extra_body or {}) or None
        return chat_history.model_copy(update={"messages": _noted(messages, lead, composed)}), asked


def _noted(messages: Sequence[Any], lead: Any, composed: Composed) -> list[Any]:
    if not composed.text:
        return list(messages)
    if lead is None:
        return [_placed(ChatMessageContent(role=AuthorRole.SYSTEM, items=[]), composed), *messages]
    return [_placed(one, composed) if one is lead else one for one in messages]


def _placed(lead: Any, composed: Composed) -> Any:
    """The system message with the notes."""
    texts = [item.text for item in lead.items if isinstance(item, TextContent)]
    others = [item for item in lead.items if not isinstance(item, TextContent)]
    said = placed(texts[0] if len(texts) == 1 else texts or None, composed, {})
    blocks = [said] if isinstance(said, str) else [one["text"] for one in said]
    return lead.model_copy(update={"items": [*(TextContent(text=one) for one in blocks), *others]})


def _plugin(tools: Sequence[Tool]) -> KernelPlugin:
    plugin = KernelPlugin(name=_PLUGIN, functions=[_function(tool) for tool in tools])
    for function in plugin.functions.values():
        # Models know the tools by their own names, without that of a plugin.
        function.metadata.plugin_name = None
    return plugin


def _function(tool: Tool) -> KernelFunctionFromMethod:
    async def call(**given: Any) -> str:
        return await tool.arun(given)

    required = tool.parameters.get("required", ())
    parameters = [
        KernelParameterMetadata(name=name, type_=None, is_required=name in required, schema_data=schema)
        for name, schema in tool.parameters.get("properties", {}).items()
    ]
    method = kernel_function(call, name=tool.name, description=tool.description)
    return KernelFunctionFromMethod(method=method, parameters=parameters)
