"""The events of Converse's streams: what a turn is made of, and what the caller sees of it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tarimba.client.integrations.rounds import arguments

Event = Mapping[str, Any]
Block = dict[str, Any]


class BedrockRelay:
    """Passes on the events over all rounds; see `rounds.Relay`."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._blocks: dict[int, Block] = {}
        self._held: list[Event] = []
        self._is_holding = False
        self._is_started = False
        # The places of this round's blocks among those of all rounds.
        self._places: dict[int, int] = {}
        self._next = 0

    @property
    def said(self) -> dict[str, Any]:
        return {"role": "assistant", "content": [_finished(self._blocks[at]) for at in sorted(self._blocks)]}

    def passed(self, event: Event) -> Iterable[Event]:
        if "messageStart" in event:
            is_first, self._is_started = not self._is_started, True
            return [event] if is_first else []
        self._read(event)
        if self._is_holding or not {"messageStop", "metadata"}.isdisjoint(event):
            self._held.append(event)
            return []
        return [self._numbered(event)]

    def again(self) -> None:
        self._blocks, self._held, self._places, self._is_holding = {}, [], {}, False

    def rest(self, dropped: Collection[str]) -> Iterable[Event]:
        used = {at: block["toolUse"]["toolUseId"] for at, block in self._blocks.items() if "toolUse" in block}
        gone = {at for at, one in used.items() if one in dropped}
        for event in self._held:
            if _place(event) in gone:
                continue
            stop = event.get("messageStop")
            if stop and stop.get("stopReason") == "tool_use" and len(gone) == len(used):
                yield {"messageStop": {**stop, "stopReason": "end_turn"}}
            else:
                yield self._numbered(event)

    def _read(self, event: Event) -> None:
        at = _place(event)
        if at is None:
            return
        block = self._blocks.setdefault(at, {})
        use = event.get("contentBlockStart", {}).get("start", {}).get("toolUse")
        if use is not None:
            block["toolUse"] = {**use, "input": ""}
            self._is_holding = self._is_holding or use["name"] in self._names
        _extend(block, event.get("contentBlockDelta", {}).get("delta", {}))

    def _numbered(self, event: Event) -> Event:
        at = _place(event)
        if at is None:
            return event
        if at not in self._places:
            self._places[at] = self._next
            self._next += 1
        return {name: {**value, "contentBlockIndex": self._places[at]} for name, value in event.items()}


def _place(event: Event) -> int | None:
    return next(
        (value["contentBlockIndex"] for value in event.values() if "contentBlockIndex" in value), None
    )


def _extend(block: Block, delta: Mapping[str, Any]) -> None:
    """Adds a delta to its block."""
    if "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    if "toolUse" in delta:
        block["toolUse"]["input"] += delta["toolUse"].get("input", "")
    thought = delta.get("reasoningContent")
    if thought and "redactedContent" in thought:
        block["reasoningContent"] = dict(thought)
    elif thought:
        text = block.setdefault("reasoningContent", {}).setdefault("reasoningText", {"text": ""})
        text["text"] += thought.get("text", "")
        if "signature" in thought:
            text["signature"] = thought["signature"]


def _finished(block: Block) -> Block:
    use = block.get("toolUse")
    return {"toolUse": use | {"input": arguments(use["input"])}} if use else block
