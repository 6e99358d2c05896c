"""Anthropic's messages. A model reads the tools first, then the system prompt, then the messages."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from tests.recipes.adapters import forms
from tests.recipes.adapters.forms import Piece


def pieces(body: Mapping[str, Any]) -> list[Piece]:
    found = [Piece("system", text, "cache_control" in part) for text, part in forms.texts(body.get("system"))]
    found += [
        Piece(message["role"], text, "cache_control" in part)
        for message in body["messages"]
        for text, part in forms.texts(message["content"])
        if not text.startswith(forms.OBSERVED)
    ]
    return found


def tools(body: Mapping[str, Any]) -> list[str]:
    return [one["name"] for one in body.get("tools") or ()]


def results(body: Mapping[str, Any]) -> list[str]:
    return [
        json.dumps(part.get("content", part.get("text")), ensure_ascii=False)
        for message in body["messages"]
        if not isinstance(message["content"], str)
        for part in message["content"]
        if part.get("type") == "tool_result" or str(part.get("text", "")).startswith(forms.OBSERVED)
    ]


def answer(path: str, body: Mapping[str, Any]) -> tuple[str, bytes]:
    if path.endswith(forms.COUNT):
        return forms.JSON, b'{"input_tokens":10}'
    called = forms.called(sys.modules[__name__], body, pieces(body))
    block: dict[str, Any] = {"type": "text", "text": forms.SAID}
    if called:
        block = {"type": "tool_use", "id": "toolu_1", "name": called[0], "input": called[1]}
    ends = "tool_use" if called else "end_turn"
    told = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [block],
        "stop_reason": ends,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 2},
    }
    if not body.get("stream"):
        return forms.JSON, json.dumps(told).encode()
    delta = (
        {"type": "input_json_delta", "partial_json": json.dumps(called[1])}
        if called
        else {"type": "text_delta", "text": forms.SAID}
    )
    return forms.EVENTS, forms.events(
        {"type": "message_start", "message": told | {"content": [], "stop_reason": None}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {**block, **({"input": {}} if called else {"text": ""})},
        },
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": ends, "stop_sequence": None},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
        named=True,
    )
