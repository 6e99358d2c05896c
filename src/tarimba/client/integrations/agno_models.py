"""Agno's models with an agent's notes: each request of the agent's runs has them, and nothing that is stored."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import new_class
from typing import Any, ClassVar, Final

from agno.models.base import Model
from agno.models.message import Message

from tarimba.client.composing import Composed, compose
from tarimba.client.integrations.blocks import (
    ANTHROPIC,
    MOST_MARKS,
    OPENAI,
    counted,
    openai_key,
    openai_mark,
    placed,
)
from tarimba.client.integrations.notes import Notes
from tarimba.client.integrations.offered import still_listed
from tarimba.client.tools import Tool

# Where the notes go in a system message that Agno built: before memories, summaries and state, which are a user's.
PLACE: Final = "<agent_notes/>"
_BEGIN: Final = "<agent_notes>"
_END: Final = "</agent_notes>"
Blocks = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Adapted:
    """What an agent's models need to know of it.

    `tools` are the names of those that came with the notes. `instructions` are what all of its requests have in common,
    for the key of OpenAI's cache; empty when that isn't known.
    """

    notes: Notes = field(repr=False)
    agent_id: str
    tools: frozenset[str]
    instructions: str = field(repr=False)


def noted(model: Model, adapted: Adapted) -> Model:
    """A model like `model` that sends the notes with the requests of the agent's runs, and with no others.

    Agno has an agent's model write memories and summaries too.
    """
    own = next(kind for kind in type(model).__mro__ if not issubclass(kind, _Noted))
    mixin = _NotedClaude if hasattr(own, "_build_system") else _Noted
    # On the class, since Agno makes deep copies of models, and there is one client.
    said = {"adapted": adapted, "__module__": own.__module__}
    kind: Any = new_class(own.__name__, (mixin, own), exec_body=lambda names: names.update(said))
    changed = kind.__new__(kind)
    vars(changed).update(vars(model))
    if _speaks_openai(own):
        given = changed.request_params or {}
        changed.request_params = openai_key(changed.id, adapted.instructions) | given or None
    made: Model = changed
    return made


class _Noted:
    """What Agno asks a model by: once whole or streamed, in one of two ways each."""

    adapted: ClassVar[Adapted]
    id: str

    def invoke(self, **request: Any) -> Any:
        return super().invoke(**self._asked(request))  # type: ignore[misc]

    async def ainvoke(self, **request: Any) -> Any:
        return await super().ainvoke(**await self._aasked(request))  # type: ignore[misc]

    def invoke_stream(self, **request: Any) -> Iterator[Any]:
        yield from super().invoke_stream(**self._asked(request))  # type: ignore[misc]

    async def ainvoke_stream(self, **request: Any) -> AsyncIterator[Any]:
        async for one in super().ainvoke_stream(**await self._aasked(request)):  # type: ignore[misc]
            yield one

    def _asked(self, request: dict[str, Any]) -> dict[str, Any]:
        if not self._is_of_a_run(request):
            return request
        notes = self.adapted.notes
        return self._noted(request, notes.compose(""), notes.tools())

    async def _aasked(self, request: dict[str, Any]) -> dict[str, Any]:
        if not self._is_of_a_run(request):
            return request
        notes = self.adapted.notes
        return self._noted(request, await notes.acompose(""), await notes.atools())

    def _is_of_a_run(self, request: Mapping[str, Any]) -> bool:
        return getattr(request.get("run_response"), "agent_id", None) == self.adapted.agent_id

    def _noted(self, request: dict[str, Any], composed: Composed, listed: Sequence[Tool]) -> dict[str, Any]:
        messages = self._placed(request["messages"], composed)
        tools = still_listed(request.get("tools"), self.adapted.tools, listed)
        return request | {"messages": messages, "tools": tools}

    def _placed(self, messages: Sequence[Message], composed: Composed) -> list[Message]:
        leads = bool(messages) and messages[0].role in {"system", "developer"}
        first = messages[0] if leads else Message(role="system", content="")
        rest = list(messages[1:] if leads else messages)
        if not isinstance(first.content, str):
            return list(messages)
        own, _, theirs = first.content.partition(PLACE)
        context = "\n\n".join(filter(None, (theirs.strip("\n"), composed.customer.strip("\n"))))
        content = self._content(own, composed.shared, context)
        return [first.model_copy(update={"content": content}), *rest] if content else rest

    def _content(self, own: str, notes: str, context: str) -> Any:
        mark = openai_mark(self.id) if notes and _speaks_openai(type(self)) else {}
        if counted(getattr(self, "request_params", None), OPENAI) >= MOST_MARKS:
            mark = {}
        content = placed(own.strip("\n"), Composed(notes, context), mark)
        is_text = isinstance(content, str) or not _is_a(type(self), "OpenAIResponses")
        return content if is_text else [one | {"type": "input_text"} for one in content]


class _NotedClaude(_Noted):
    """Claude's models take the system prompt in blocks, which Agno makes last."""

    def _content(self, own: str, notes: str, context: str) -> Any:
        return compose(own, notes, context).text

    def _build_system(self, system_message: str) -> list[dict[str, Any]]:
        """The instructions, the blocks that the caller gave the model, the notes, then what differs between runs."""
        blocks: list[dict[str, Any]] = super()._build_system(system_message)  # type: ignore[misc]
        own, found, behind = system_message.partition(_BEGIN)
        if not found:
            return blocks
        notes, end, rest = behind.partition(_END)
        built, given = blocks[0], blocks[1:]
        at = self._fixed(given)
        # A mark of the instructions' keeps what is behind the notes too, unless blocks of the caller come first.
        head = [_text(built if given else {}, own.rstrip("\n"))] if own.strip() else []
        tail = [_text({} if given else built, rest)] if rest else []
        before, after = [*head, *given[:at]], [*tail, *given[at:]]
        text = ("\n\n" if before else "") + found + notes + end
        return [*before, _text({}, text) | self._mark(before, after), *after]

    def _fixed(self, given: Blocks) -> int:
        """How many of the caller's blocks are the same for all runs: of those that a function gives, up to a mark."""
        if not callable(getattr(self, "system_prompt_blocks", None)):
            return len(given)
        return max((at for at, one in enumerate(given, 1) if "cache_control" in one), default=0)

    def _mark(self, before: Blocks, after: Blocks) -> dict[str, Any]:
        """One as lasting as those beside it: Anthropic refuses a longer one behind a shorter one."""
        used = counted([*before, *after, getattr(self, "request_params", None)], ANTHROPIC)
        if used + bool(getattr(self, "cache_tools", False)) >= MOST_MARKS:
            return {}
        beside = [one["cache_control"] for one in (*reversed(before), *after) if "cache_control" in one]
        return {"cache_control": beside[0]} if beside else dict(ANTHROPIC)


def _text(block: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {**block, "type": "text", "text": text}


def _speaks_openai(kind: type) -> bool:
    return _is_a(kind, "OpenAIChat") or _is_a(kind, "OpenAIResponses")


def _is_a(kind: type, name: str) -> bool:
    """By name, since importing a provider of Agno's needs that provider's SDK."""
    return any(one.__name__ == name for one in kind.__mro__)
