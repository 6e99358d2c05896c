"""OpenAI's responses: what a request, an answer and the events of a stream hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from tarimba.client.composing import Composed, compose
from tarimba.client.integrations.blocks import MOST_MARKS, OPENAI, counted, openai_mark, part, placed
from tarimba.client.integrations.rounds import Call, Kept, Relay, Request, Results, arguments
from tarimba.client.integrations.stainless import opened
from tarimba.client.tools import Tool

Item = dict[str, Any]
# What a stream says before its first item.
_BEGINS: Final = frozenset({"response.created", "response.queued", "response.in_progress"})
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_CALLS: Final = frozenset({"function_call", "custom_tool_call"})


class ResponsesForm:
    """A turn is what an answer has put out: items as a next request takes them."""

    def offered(self, request: Request) -> set[str]:
        return {str(part(tool, "name")) for tool in request.get("tools") or ()}

    def asked(self, request: Request, composed: Composed, tools: Sequence[Tool]) -> Request:
        asked = dict(request)
        if composed.text:
            asked |= _with_notes(request, composed)
        if tools:
            asked["tools"] = [*(request.get("tools") or ()), *map(_function, tools)]
        return asked

    def said(self, answer: Any) -> list[Item]:
        return [_dumped(item) for item in opened(answer).output]

    def calls(self, said: list[Item]) -> list[Call]:
        return [
            Call(item["call_id"], item["name"], arguments(item.get("arguments")))
            for item in said
            if item["type"] in _CALLS
        ]

    def answered(self, request: Request, said: list[Item], results: Results) -> Request:
        # A conversation that the provider keeps has the turn already.
        repeated = [] if request.get("conversation") else said
        return request | {"input": [*_items(request), *repeated, *_told(results)]}

    def without(self, answer: Any, dropped: Collection[str]) -> Any:
        response = opened(answer)
        response.output = _left(response.output, dropped)
        return answer

    def restored(self, request: Request, kept: Kept) -> Request:
        is_kept_there = bool(request.get("conversation") or request.get("previous_response_id"))
        kind = "_call_output" if is_kept_there else "_call"
        items: list[Any] = []
        done: set[str] = set()
        for item in _items(request):
            found = None
            if str(part(item, "type")).endswith(kind) and part(item, "call_id") not in done:
                found = kept.of([str(part(item, "call_id"))])
            if found is not None:
                said, results = found
                done |= {one["call_id"] for one in said if one["type"] in _CALLS}
                ours = [one for one in said if one.get("call_id") in results and not is_kept_there]
                items += [*ours, *_told(results)]
            items.append(item)
        return request | {"input": items} if done else request

    def relay(self, names: Collection[str]) -> Relay:
        return _Relay(names)


class _Relay:
    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._output: list[Any] = []
        self._held: list[Any] = []
        self._is_holding = False
        self._is_started = False
        # The places of this round's items among those of all rounds, and what the caller saw of earlier ones.
        self._places: dict[int, int] = {}
        self._seen: list[Any] = []
        self._next = 0
        self._number = 0

    @property
    def said(self) -> list[Item]:
        return [_dumped(item) for item in self._output]

    def passed(self, event: Any) -> Iterable[Any]:
        if event.type in _BEGINS and self._is_started:
            return []
        self._is_started = self._is_started or event.type not in _BEGINS
        item = getattr(event, "item", None)
        if event.type == "response.output_item.done":
            self._output.append(item)
        self._is_holding = (
            self._is_holding or event.type in _ENDS or getattr(item, "name", None) in self._names
        )
        if self._is_holding:
            self._held.append(event)
            return []
        return [self._numbered(event)]

    def again(self) -> None:
        self._seen += [item for at, item in enumerate(self._output) if at in self._places]
        self._output, self._held, self._places, self._is_holding = [], [], {}, False

    def rest(self, dropped: Collection[str]) -> Iterable[Any]:
        gone = {at for at, item in enumerate(self._output) if getattr(item, "call_id", None) in dropped}
        for event in self._held:
            if getattr(event, "output_index", None) in gone:
                continue
            if event.type in _ENDS:
                event.response.output = [*self._seen, *_left(event.response.output, dropped)]
            yield self._numbered(event)

    def _numbered(self, event: Any) -> Any:
        changed = {"sequence_number": self._number}
        self._number += 1
        at = getattr(event, "output_index", None)
        if at is not None:
            if at not in self._places:
                self._places[at] = self._next
                self._next += 1
            changed["output_index"] = self._places[at]
        return event.model_copy(update=changed)


def _with_notes(request: Request, composed: Composed) -> Request:
    """After `instructions`, which take no mark; where there are none, after the first system message of the input."""
    items = _items(request)
    first = items[0] if items and part(items[0], "role") in {"system", "developer"} else None
    if request.get("instructions") or first is None:
        own = str(request.get("instructions") or "")
        return {"instructions": compose(own, composed.shared, composed.customer).text}
    mark = openai_mark(str(request.get("model"))) if composed.shared else {}
    if counted(items, OPENAI) >= MOST_MARKS:
        mark = {}
    content = placed(_dumped(first).get("content"), composed, mark)
    return {"input": [_dumped(first) | {"content": _named(content)}, *items[1:]]}


def _named(content: Any) -> Any:
    """Blocks by the names of this API."""
    if isinstance(content, str):
        return content
    return [one | {"type": "input_text"} if one.get("type") == "text" else one for one in content]


def _function(tool: Tool) -> Item:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        # Its arguments may be left out, which a strict schema does not allow.
        "strict": False,
    }


def _items(request: Request) -> list[Any]:
    given = request.get("input")
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given or ())


def _left(items: Iterable[Any], dropped: Collection[str]) -> list[Any]:
    return [item for item in items if getattr(item, "call_id", None) not in dropped]


def _dumped(item: Any) -> Item:
    return dict(item) if isinstance(item, dict) else item.model_dump(exclude_none=True)


def _told(results: Results) -> list[Item]:
    return [{"type": "function_call_output", "call_id": one, "output": text} for one, text in results.items()]
