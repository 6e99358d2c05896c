"""Amazon Bedrock's Converse, whole answers only."""

from __future__ import annotations

import json
import sys
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


def answer(_path: str, body: Mapping[str, Any]) -> tuple[str, bytes]:
    wants = forms.calls(sys.modules[__name__], body, pieces(body))
    use = {"toolUse": {"toolUseId": "tool_1", "name": forms.SEARCH, "input": forms.QUERY}}
    told = {
        "output": {"message": {"role": "assistant", "content": [use if wants else {"text": forms.SAID}]}},
        "stopReason": "tool_use" if wants else "end_turn",
        "usage": {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12},
        "metrics": {"latencyMs": 1},
    }
    return forms.JSON, json.dumps(told).encode()


def _marked(role: str, parts: Any) -> list[Piece]:
    """A cache point is a part of its own behind what it marks."""
    found: list[Piece] = []
    for part in parts:
        if "cachePoint" in part and found:
            found[-1] = Piece(role, found[-1].text, marked=True)
        elif isinstance(part.get("text"), str):
            found.append(Piece(role, part["text"]))
    return found
