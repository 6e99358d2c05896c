"""Agno's models with an agent's notes: each request of the agent's runs has them, and nothing that is stored."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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
from tarimba.client.tools import Tool

# Where the notes go in a system message that Agno built: before memories, summaries and state, which are a user's.
PLACE: Final = "<agent_notes/>"
_BEGIN: Final = "<agent_notes>"
_END: Final = "</agent_notes>"
Blocks = Sequence[Mapping[str, Any]]
_TOOLS: Final = frozenset({"search_agent_memory", "remember"})


def noted(model: Model, notes: Notes, agent_id: str, instructions: str) -> Model:
    """A model like `model` that sends the notes with the requests of this agent's runs, and with no others.

    Agno has an agent's model write memories and summaries too. `instructions` are what the agent's requests have in
    common, for the key of OpenAI's cache; empty when that isn't known.
    """
    own = next(kind for kind in type(model).__mro__ if not issubclass(kind, _Noted))
    mixin = _NotedClaude if hasattr(own, "_build_system") else _Noted
    # On the class, since Agno makes deep copies of models, and there is one client.
    said = {"agent_notes": notes, "noted_agent": agent_id, "__module__": own.__module__}
    kind: Any = new_class(own.__name__, (mixin, own), exec_body=lambda names: names.update(said))
    changed = kind.__new__(kind)
    vars(changed).update(vars(model))
    if _speaks_openai(own):
        given = changed.request_params or {}
        changed.request_params = openai_key(changed.id, instructions) | given or None
    return changed


class _Noted:
    """What Agno asks a model by: once whole or streamed, in one of two ways each."""

    agent_notes: ClassVar[Notes]
    noted_agent: ClassVar[str]
    id: str

    def invoke(self, **request: Any) -> Any:
        if self._is_of_a_run(request):
            request = self._noted(request, self.agent_notes.compose(""), self.agent_notes.tools())
        return super().invoke(**request)  # type: ignore[misc]

    async def ainvoke(self, **request: Any) -> Any:
        return await super().ainvoke(**await self._anoted(request))  # type: ignore[misc]

    def invoke_stream(self, **request: Any) -> Iterator[Any]:
        if self._is_of_a_run(request):
            request = self._noted(request, self.agent_notes.compose(""), self.agent_notes.tools())
        yield from super().invoke_stream(**request)  # type: ignore[misc]

    async def ainvoke_stream(self, **request: Any) -> AsyncIterator[Any]:
        async for one in super().ainvoke_stream(**await self._anoted(request)):  # type: ignore[misc]
            yield one

    async def _anoted(self, request: dict[str, Any]) -> dict[str, Any]:
        if not self._is_of_a_run(request):
            return request
        composed = await self.agent_notes.acompose("")
        return self._noted(request, composed, await self.agent_notes.atools())

    def _is_of_a_run(self, request: Mapping[str, Any]) -> bool:
        return getattr(request.get("run_response"), "agent_id", None) == self.noted_agent

    def _noted(self, request: dict[str, Any], composed: Composed, listed: Sequence[Tool]) -> dict[str, Any]:
        gone = _TOOLS - {tool.name for tool in listed}
        offered = [one for one in request.get("tools") or () if _name(one) not in gone]
        return request | {"messages": self._placed(request["messages"], composed), "tools": offered or None}

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


def _name(tool: Mapping[str, Any]) -> Any:
    return tool.get("function", tool).get("name")
