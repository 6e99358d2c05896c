"""Chat completions, in OpenAI's SDK and in those that speak like it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import MOST_MARKS, Mark, counted, part, placed
from tarimba.client.integrations.rounds import Call, Kept, Relay, Request, Results, arguments
from tarimba.client.integrations.stainless import opened
from tarimba.client.tools import Tool

Message = dict[str, Any]
Join = Callable[[Sequence[Any]], Message]


class ChatForm:
    """A turn is the assistant's message.

    `mark_of` says which mark the model of a request takes, `join` makes one message of a stream's chunks.
    """

    def __init__(self, mark_of: Callable[[Request], Mark], join: Join | None = None) -> None:
        self._mark_of = mark_of
        self._join = join or joined

    def offered(self, request: Request) -> set[str]:
        return {str(part(_asked_of(tool), "name")) for tool in request.get("tools") or ()}

    def asked(self, request: Request, composed: Composed, tools: Sequence[Tool]) -> Request:
        asked = dict(request)
        if composed.text:
            asked["messages"] = self._with_notes(request, composed)
        if tools:
            asked["tools"] = [*(request.get("tools") or ()), *(tool.definition for tool in tools)]
        return asked

    def said(self, answer: Any) -> Message:
        choices = opened(answer).choices
        return _dumped(choices[0].message) if choices else {}

    def calls(self, said: Message) -> list[Call]:
        return [
            Call(call["id"], _asked_of(call)["name"], arguments(_asked_of(call).get("arguments")))
            for call in said.get("tool_calls") or ()
        ]

    def answered(self, request: Request, said: Message, results: Results) -> Request:
        return request | {"messages": [*request["messages"], said, *_told(results)]}

    def without(self, answer: Any, dropped: Collection[str]) -> Any:
        choice = opened(answer).choices[0]
        left = [call for call in choice.message.tool_calls if call.id not in dropped]
        choice.message.tool_calls = left or None
        if not left and choice.finish_reason == "tool_calls":
            choice.finish_reason = "stop"
        return answer

    def restored(self, request: Request, kept: Kept) -> Request:
        messages: list[Any] = []
        for message in request.get("messages") or ():
            calls = part(message, "tool_calls") or () if part(message, "role") == "assistant" else ()
            found = kept.of(str(part(call, "id")) for call in calls)
            messages += [found[0], *_told(found[1])] if found else [message]
        return request | {"messages": messages}

    def relay(self, names: Collection[str]) -> Relay:
        return _Relay(names, self._join)

    def _with_notes(self, request: Request, composed: Composed) -> list[Any]:
        messages = list(request.get("messages") or ())
        has_own = bool(messages) and part(messages[0], "role") in {"system", "developer"}
        own = _dumped(messages.pop(0)) if has_own else {"role": "system"}
        mark = self._mark_of(request) if composed.shared else {}
        if counted([own, messages, request.get("tools")], mark) >= MOST_MARKS:
            mark = {}
        return [own | {"content": placed(own.get("content"), composed, mark)}, *messages]


class _Relay:
    def __init__(self, names: Collection[str], join: Join) -> None:
        self._names = names
        self._join = join
        self._chunks: list[Any] = []
        self._held: list[Any] = []

    @property
    def said(self) -> Message:
        return self._join(self._chunks)

    def passed(self, event: Any) -> Iterable[Any]:
        self._chunks.append(event)
        choice = event.choices[0] if event.choices else None
        is_ours = any(part(part(one, "function"), "name") in self._names for one in _calls(choice))
        if not self._held and not is_ours and not (choice and choice.finish_reason):
            return [event]
        self._held.append(event)
        return []

    def again(self) -> None:
        self._chunks, self._held = [], []

    def rest(self, dropped: Collection[str]) -> Iterable[Any]:
        calls = [one for event in self._chunks if event.choices for one in _calls(event.choices[0])]
        gone = {call.index for call in calls if call.id in dropped}
        places = {at: place for place, at in enumerate(sorted({call.index for call in calls} - gone))}
        for event in self._held:
            if event.choices and gone:
                _renumber(event.choices[0], places)
            yield event


def joined(chunks: Sequence[Any]) -> Message:
    """The assistant's message that the chunks of a stream make together."""
    message: Message = {"role": "assistant", "content": None}
    calls: dict[int, Message] = {}
    for chunk in chunks:
        delta = _dumped(chunk.choices[0].delta) if chunk.choices else {}
        for call in delta.pop("tool_calls", None) or ():
            _extend(calls.setdefault(call.pop("index"), {}), call)
        _extend(message, {name: value for name, value in delta.items() if name != "role"})
    return message | ({"tool_calls": [calls[at] for at in sorted(calls)]} if calls else {})


def _extend(whole: Message, piece: Mapping[str, Any]) -> None:
    """Adds a piece of a message: texts grow, but for what names something."""
    for name, value in piece.items():
        known = whole.get(name)
        if isinstance(value, Mapping):
            whole[name] = known or {}
            _extend(whole[name], value)
        elif isinstance(value, str) and isinstance(known, str) and name not in {"id", "type", "name"}:
            whole[name] = known + value
        elif value:
            whole[name] = value
        else:
            whole.setdefault(name, value)


def _renumber(choice: Any, places: Mapping[int, int]) -> None:
    left = [call for call in _calls(choice) if call.index in places]
    for call in left:
        call.index = places[call.index]
    choice.delta.tool_calls = left or None
    if choice.finish_reason == "tool_calls" and not places:
        choice.finish_reason = "stop"


def _calls(choice: Any) -> Sequence[Any]:
    return part(part(choice, "delta"), "tool_calls") or ()


def _asked_of(call: Any) -> Any:
    """What a call or a tool is about: a function, or one of the caller's own kinds."""
    return part(call, "function") or part(call, "custom") or {"name": part(call, "type")}


def _dumped(message: Any) -> Message:
    return dict(message) if isinstance(message, Mapping) else message.model_dump(exclude_none=True)


def _told(results: Results) -> list[Message]:
    return [{"role": "tool", "tool_call_id": one, "content": text} for one, text in results.items()]
