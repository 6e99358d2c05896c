"""CrewAI's models with an agent's notes: what is asked of one for its agent has them, and no history that is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from types import new_class
from typing import Any, ClassVar, Final

from crewai import BaseLLM

from tarimba.client.composing import Composed, compose
from tarimba.client.integrations.blocks import (
    ANTHROPIC,
    MOST_MARKS,
    Mark,
    counted,
    openai_key,
    openai_mark,
)
from tarimba.client.integrations.notes import Notes
from tarimba.client.integrations.offered import still_listed

Messages = Sequence[Mapping[str, Any]]
_END: Final = "</agent_notes>"


def noted(model: BaseLLM, notes: Notes, tools: Iterable[str], instructions: str) -> BaseLLM:
    """A model like `model` that sends the notes with what an agent asks, and with nothing that is asked of it alone.

    `tools` are the names of those that came with the notes, `instructions` what the agent's requests have in common,
    for the key of OpenAI's cache.
    """
    own = next(kind for kind in type(model).__mro__ if not issubclass(kind, _Noted))
    kind: Any = new_class(own.__name__, (_mixin(own), own), exec_body=_at_home(own))
    # On the class, since a model of pydantic takes no other fields.
    kind.agent_notes, kind.notes_tools = notes, frozenset(tools)
    changed: Any = copy(model)
    object.__setattr__(changed, "__class__", kind)
    if issubclass(kind, _NotedOpenAI):
        given = changed.additional_params
        changed.additional_params = {**openai_key(changed.model, instructions), **given}
    made: BaseLLM = changed
    return made


class _Noted:
    """What CrewAI asks a model by, in one of two ways."""

    agent_notes: ClassVar[Notes]
    notes_tools: ClassVar[frozenset[str]]

    def call(self, messages: Any, tools: Any = None, *given: Any, **named: Any) -> Any:
        if _is_of_an_agent(messages, named):
            messages = _placed(messages, self.agent_notes.compose(""))
            tools = still_listed(tools, self.notes_tools, self.agent_notes.tools())
        return super().call(messages, tools, *given, **named)  # type: ignore[misc]

    async def acall(self, messages: Any, tools: Any = None, *given: Any, **named: Any) -> Any:
        if _is_of_an_agent(messages, named):
            messages = _placed(messages, await self.agent_notes.acompose(""))
            tools = still_listed(tools, self.notes_tools, await self.agent_notes.atools())
        return await super().acall(messages, tools, *given, **named)  # type: ignore[misc]


class _NotedAnthropic(_Noted):
    """CrewAI marks the end of the system prompt, which is behind the customer's context; that mark stays."""

    def _format_messages_for_anthropic(self, messages: Any) -> tuple[Any, Any]:
        said, system = super()._format_messages_for_anthropic(messages)  # type: ignore[misc]
        if not system or counted([said, system], ANTHROPIC) >= MOST_MARKS:
            return said, system
        blocks = [{"type": "text", "text": system}] if isinstance(system, str) else system
        return said, [half for block in blocks for half in _halves(block, ANTHROPIC)]


class _NotedOpenAI(_Noted):
    """Chat completions take a mark; the instructions of responses have no place for one."""

    model: str
    api: str

    def _format_messages(self, messages: Any, **named: Any) -> list[Any]:
        said: list[Any] = super()._format_messages(messages, **named)  # type: ignore[misc]
        mark = openai_mark(self.model) if getattr(self, "api", "completions") == "completions" else {}
        if not mark or counted(said, mark) >= MOST_MARKS:
            return said
        return [_in_parts(one, mark) if one.get("role") == "system" else one for one in said]


def _mixin(own: type) -> type[_Noted]:
    """By name, since importing a provider of CrewAI's needs that provider's SDK."""
    if hasattr(own, "_format_messages_for_anthropic"):
        return _NotedAnthropic
    is_openai = any(one.__name__ == "OpenAICompletion" for one in own.__mro__)
    return _NotedOpenAI if is_openai else _Noted


def _at_home(own: type) -> Any:
    return lambda names: names.update({"__module__": own.__module__})


def _is_of_an_agent(messages: Any, named: Mapping[str, Any]) -> bool:
    """Converters, guardrails and memories ask the same model without naming an agent."""
    return named.get("from_agent") is not None and bool(messages) and not isinstance(messages, str)


def _placed(messages: Messages, composed: Composed) -> list[Mapping[str, Any]]:
    """In the system message; a prompt that CrewAI makes of one message has the notes before it."""
    if not composed.text:
        return list(messages)
    first, rest = messages[0], messages[1:]
    if first.get("role") == "system" and isinstance(first.get("content"), str):
        text = compose(first["content"], composed.shared, composed.customer).text
        return [{**first, "content": text}, *rest]
    return [{"role": "user", "content": composed.text}, *messages]


def _in_parts(message: Mapping[str, Any], mark: Mark) -> Mapping[str, Any]:
    text = message.get("content")
    if not isinstance(text, str) or _END not in text:
        return message
    return {**message, "content": _halves({"type": "text", "text": text}, mark)}


def _halves(block: Mapping[str, Any], mark: Mark) -> list[Mapping[str, Any]]:
    """A block up to the end of the notes, marked, and what is behind them with the mark that the block had."""
    head, end, tail = str(block.get("text", "")).partition(_END)
    if not end or (not tail and any(name in block for name in mark)):
        return [block]
    marked = {"type": "text", "text": head + end, **mark}
    return [marked, {**block, "text": tail}] if tail else [marked]
