"""Amazon Bedrock's Converse."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from collections.abc import Mapping
from typing import Any

from tests.recipes.adapters import forms
from tests.recipes.adapters.forms import Piece


def pieces(body: Mapping[str, Any]) -> list[Piece]:
    found = _marked("system", body.get("system") or ())
    for message in body["messages"]:
        found += _marked(message["role"], message["content"])
    return found


def tools(body: Mapping[str, Any]) -> list[str]:
    offered = (body.get("toolConfig") or {}).get("tools") or ()
    return [one["toolSpec"]["name"] for one in offered if "toolSpec" in one]


def results(body: Mapping[str, Any]) -> list[str]:
    return [
        json.dumps(part["toolResult"], ensure_ascii=False)
        for message in body["messages"]
        for part in message["content"]
        if "toolResult" in part
    ]


def answer(path: str, body: Mapping[str, Any]) -> tuple[str, bytes]:
    wants = forms.calls(sys.modules[__name__], body, pieces(body))
    use = {"toolUse": {"toolUseId": "tool_1", "name": forms.SEARCH, "input": forms.QUERY}}
    told = {
        "output": {"message": {"role": "assistant", "content": [use if wants else {"text": forms.SAID}]}},
        "stopReason": "tool_use" if wants else "end_turn",
        "usage": {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12},
        "metrics": {"latencyMs": 1},
    }
    if path.endswith("/converse-stream"):
        return "application/vnd.amazon.eventstream", _streamed(use if wants else None, told["stopReason"])
    return forms.JSON, json.dumps(told).encode()


def _streamed(use: dict[str, Any] | None, ends: Any) -> bytes:
    start = {name: value for name, value in use["toolUse"].items() if name != "input"} if use else {}
    delta: dict[str, Any] = {"toolUse": {"input": json.dumps(forms.QUERY)}} if use else {"text": forms.SAID}
    begun = [("contentBlockStart", {"start": {"toolUse": start}, "contentBlockIndex": 0})] if use else []
    events: list[tuple[str, Mapping[str, Any]]] = [
        ("messageStart", {"role": "assistant"}),
        *begun,
        ("contentBlockDelta", {"delta": delta, "contentBlockIndex": 0}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("messageStop", {"stopReason": ends}),
        ("metadata", {"usage": {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}}),
    ]
    return b"".join(_event(name, value) for name, value in events)


def _event(name: str, value: Mapping[str, Any]) -> bytes:
    """One message of Amazon's event streams: lengths, their sum, headers of type string, the payload, the whole sum."""
    told = {":message-type": "event", ":event-type": name, ":content-type": forms.JSON}
    headers = b"".join(
        struct.pack(f">B{len(key)}sBH", len(key), key.encode(), 7, len(text)) + text.encode()
        for key, text in told.items()
    )
    payload = json.dumps(value).encode()
    lengths = struct.pack(">II", len(headers) + len(payload) + 16, len(headers))
    message = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))


def _marked(role: str, parts: Any) -> list[Piece]:
    """A cache point is a part of its own behind what it marks."""
    found: list[Piece] = []
    for part in parts:
        if "cachePoint" in part and found:
            found[-1] = Piece(role, found[-1].text, marked=True)
        elif isinstance(part.get("text"), str):
            found.append(Piece(role, part["text"]))
    return found
