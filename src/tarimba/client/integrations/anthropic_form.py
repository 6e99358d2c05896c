"""Anthropic's messages: what a request, an answer and the events of a stream hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import ANTHROPIC, MOST_MARKS, counted, part, placed
from tarimba.client.integrations.rounds import Call, Kept, Relay, Request, Results, arguments
from tarimba.client.integrations.stainless import opened
from tarimba.client.tools import Tool

Blocks = list[dict[str, Any]]


class AnthropicForm:
    """A turn is the content of the assistant's message: blocks in the form of a request."""

    def offered(self, request: Request) -> set[str]:
        return {str(part(tool, "name")) for tool in _listed(request.get("tools"))}

    def asked(self, request: Request, composed: Composed, tools: Sequence[Tool]) -> Request:
        asked = dict(request)
        if composed.text:
            mark = ANTHROPIC if _marks(request) < MOST_MARKS and composed.shared else {}
            system = _listed(request.get("system")) if "system" in request else None
            asked["system"] = placed(system, composed, mark)
        if tools:
            added = [
                {"name": one.name, "description": one.description, "input_schema": dict(one.parameters)}
                for one in tools
            ]
            asked["tools"] = [*_listed(request.get("tools")), *added]
        return asked

    def said(self, answer: Any) -> Blocks:
        return [block.model_dump(exclude_none=True) for block in opened(answer).content]

    def calls(self, said: Blocks) -> list[Call]:
        return [
            Call(block["id"], block["name"], block["input"] if isinstance(block["input"], Mapping) else {})
            for block in said
            if block["type"] == "tool_use"
        ]

    def answered(self, request: Request, said: Blocks, results: Results) -> Request:
        turns = [{"role": "assistant", "content": said}, {"role": "user", "content": _told(results)}]
        return request | {"messages": [*request["messages"], *turns]}

    def without(self, answer: Any, dropped: Collection[str]) -> Any:
        message = opened(answer)
        message.content = [block for block in message.content if getattr(block, "id", None) not in dropped]
        if message.stop_reason == "tool_use" and not any(one.type == "tool_use" for one in message.content):
            message.stop_reason = "end_turn"
        return answer

    def restored(self, request: Request, kept: Kept) -> Request:
        messages: list[Any] = []
        results: Results = {}
        for message in request.get("messages", ()):
            content = part(message, "content")
            if results and part(message, "role") == "user":
                messages.append({"role": "user", "content": [*_told(results), *_listed(content)]})
                results = {}
                continue
            found = kept.of(_used(content)) if part(message, "role") == "assistant" else None
            said, results = found or (content, results)
            messages.append({"role": "assistant", "content": said} if found else message)
        return request | {"messages": messages}

    def relay(self, names: Collection[str]) -> Relay:
        return _Relay(names)


class _Relay:
    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._blocks: dict[int, dict[str, Any]] = {}
        self._held: list[Any] = []
        self._is_holding = False
        self._is_started = False
        # The places of this round's blocks among those of all rounds.
        self._places: dict[int, int] = {}
        self._next = 0

    @property
    def said(self) -> Blocks:
        return [_finished(self._blocks[at]) for at in sorted(self._blocks)]

    def passed(self, event: Any) -> Iterable[Any]:
        if event.type == "message_start":
            is_first, self._is_started = not self._is_started, True
            return [event] if is_first else []
        self._read(event)
        if self._is_holding or event.type in {"message_delta", "message_stop"}:
            self._held.append(event)
            return []
        return [self._numbered(event)]

    def again(self) -> None:
        self._blocks, self._held, self._places, self._is_holding = {}, [], {}, False

    def rest(self, dropped: Collection[str]) -> Iterable[Any]:
        gone = {at for at, block in self._blocks.items() if block.get("id") in dropped}
        is_calling = any(block["type"] == "tool_use" for at, block in self._blocks.items() if at not in gone)
        for event in self._held:
            if getattr(event, "index", None) in gone:
                continue
            if event.type == "message_delta" and event.delta.stop_reason == "tool_use" and not is_calling:
                event.delta.stop_reason = "end_turn"
            yield self._numbered(event)

    def _read(self, event: Any) -> None:
        if event.type == "content_block_start":
            block = event.content_block.model_dump(exclude_none=True)
            self._blocks[event.index] = block
            self._is_holding = self._is_holding or (
                block["type"] == "tool_use" and block["name"] in self._names
            )
        elif event.type == "content_block_delta":
            _extend(self._blocks[event.index], event.delta)

    def _numbered(self, event: Any) -> Any:
        at = getattr(event, "index", None)
        if at is None:
            return event
        if at not in self._places:
            self._places[at] = self._next
            self._next += 1
        return event.model_copy(update={"index": self._places[at]})


def _extend(block: dict[str, Any], delta: Any) -> None:
    """Adds a delta to its block. JSON stands in `partial_json` until it is whole."""
    match delta.type:
        case "input_json_delta":
            block["partial_json"] = block.get("partial_json", "") + delta.partial_json
        case "citations_delta":
            block["citations"] = [*block.get("citations", ()), delta.citation.model_dump(exclude_none=True)]
        case "text_delta" | "thinking_delta" | "signature_delta":
            name = delta.type.removesuffix("_delta")
            block[name] = block.get(name, "") + getattr(delta, name)


def _finished(block: dict[str, Any]) -> dict[str, Any]:
    done = {name: value for name, value in block.items() if name != "partial_json"}
    return done | {"input": arguments(block["partial_json"])} if "partial_json" in block else done


def _marks(request: Request) -> int:
    return counted([request.get(name) for name in ("system", "tools", "messages")], ANTHROPIC) + sum(
        bool(request.get(name)) for name in ANTHROPIC
    )


def _listed(content: Any) -> list[Any]:
    """What a request holds as a list of blocks or tools; a text is one block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content) if isinstance(content, Iterable) else []


def _used(content: Any) -> list[str]:
    blocks = [] if isinstance(content, str) else _listed(content)
    return [str(part(block, "id")) for block in blocks if part(block, "type") == "tool_use"]


def _told(results: Results) -> Blocks:
    return [{"type": "tool_result", "tool_use_id": one, "content": text} for one, text in results.items()]
