"""The OpenAI SDK: `client = wrap(OpenAI())`, and every chat completion has the agent's notes.

The notes go behind the first system or developer message (or make one), before the customer's context. The model is
offered `search_agent_memory`; what it asks of it is answered here, so that the caller only sees what is the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from openai import AsyncOpenAI, OpenAI

from tarimba.client.composing import Composed
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

C = TypeVar("C", OpenAI, AsyncOpenAI)
Request = dict[str, Any]
_INSTRUCTING: Final = ("system", "developer")
_ROUNDS: Final = 8


def wrap(client: C, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> C:
    """A client like `client` whose chat completions have the notes; `client` itself stays as it was."""
    notes = Notes.of(agent_memory, write=write)
    wrapped = client.with_options()
    if notes is not None:
        completions = wrapped.chat.completions
        kind = _AwaitedChat if isinstance(client, AsyncOpenAI) else _Chat
        completions.create = kind(notes, completions.create).create
    return wrapped


class _Chat:
    """`create` with the notes, and with our tools carried out between its rounds."""

    def __init__(self, notes: Notes, create: Any) -> None:
        self._notes = notes
        self._create = create

    def create(self, **request: Any) -> Any:
        tools = {tool.name: tool for tool in self._notes.tools()}
        asked = _asked(request, self._notes.compose(_instructions(request)), tools)
        for _ in range(_ROUNDS):
            completion = self._create(**asked)
            calls = _ours(completion, tools)
            if not calls:
                break
            results = [(call.id, tools[call.function.name].run(_arguments(call))) for call in calls]
            asked = _with_results(asked, completion, results)
        return completion


class _AwaitedChat(_Chat):
    """The same, awaited."""

    async def create(self, **request: Any) -> Any:
        tools = {tool.name: tool for tool in await self._notes.atools()}
        asked = _asked(request, await self._notes.acompose(_instructions(request)), tools)
        for _ in range(_ROUNDS):
            completion = await self._create(**asked)
            calls = _ours(completion, tools)
            if not calls:
                break
            results = [(call.id, await tools[call.function.name].arun(_arguments(call))) for call in calls]
            asked = _with_results(asked, completion, results)
        return completion


def _instructions(request: Mapping[str, Any]) -> str:
    messages = list(request.get("messages") or ())
    first = messages[0] if messages and messages[0].get("role") in _INSTRUCTING else {}
    content = first.get("content") or ""
    return content if isinstance(content, str) else "\n\n".join(part.get("text", "") for part in content)


def _asked(request: Mapping[str, Any], composed: Composed, tools: Mapping[str, Tool]) -> Request:
    messages = list(request.get("messages") or ())
    own = messages[0] if messages and messages[0].get("role") in _INSTRUCTING else {"role": "system"}
    rest = messages[1:] if messages and messages[0].get("role") in _INSTRUCTING else messages
    asked = dict(request)
    if composed.text:
        asked["messages"] = [{**own, "content": _parts(composed)}, *rest]
    offered = list(request.get("tools") or ())
    named = {one.get("function", {}).get("name") for one in offered}
    added = [tool.definition for tool in tools.values() if tool.name not in named]
    if added:
        asked["tools"] = offered + added
    return asked


def _parts(composed: Composed) -> list[dict[str, Any]]:
    shared = {"type": "text", "text": composed.shared, "prompt_cache_breakpoint": {"mode": "explicit"}}
    return [shared, {"type": "text", "text": composed.customer}] if composed.customer else [shared]


def _ours(completion: Any, tools: Mapping[str, Tool]) -> Sequence[Any]:
    """The calls of a completion that asks for nothing but our tools."""
    choices = getattr(completion, "choices", None) or ()
    calls = (choices[0].message.tool_calls or ()) if choices else ()
    return calls if all(call.type == "function" and call.function.name in tools for call in calls) else ()


def _arguments(call: Any) -> Mapping[str, Any]:
    import json

    try:
        given = json.loads(call.function.arguments)
    except ValueError:
        given = {}
    return given if isinstance(given, dict) else {}


def _with_results(asked: Request, completion: Any, results: Sequence[tuple[str, str]]) -> Request:
    said = completion.choices[0].message.model_dump(exclude_none=True)
    answered = [{"role": "tool", "tool_call_id": call_id, "content": text} for call_id, text in results]
    return asked | {"messages": [*asked["messages"], said, *answered]}
