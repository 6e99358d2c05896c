"""OpenAI's chat completions, which many servers and frameworks speak."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from tests.recipes.adapters import forms
from tests.recipes.adapters.forms import Piece


def pieces(body: Mapping[str, Any]) -> list[Piece]:
    return [
        Piece(message["role"], text, "prompt_cache_breakpoint" in part or "cache_control" in part)
        for message in body["messages"]
        if message["role"] != "tool"
        for text, part in forms.texts(message.get("content"))
        if not text.startswith(forms.OBSERVED)
    ]


def tools(body: Mapping[str, Any]) -> list[str]:
    return [one["function"]["name"] for one in body.get("tools") or ()]


def results(body: Mapping[str, Any]) -> list[str]:
    return [
        text
        for one in body["messages"]
        for text, _ in forms.texts(one.get("content"))
        if one["role"] == "tool" or text.startswith(forms.OBSERVED)
    ]


def answer(_path: str, body: Mapping[str, Any]) -> tuple[str, bytes]:
    message: dict[str, Any] = {"role": "assistant", "content": forms.SAID}
    ends = "stop"
    called = forms.called(sys.modules[__name__], body, pieces(body))
    if called:
        function = {"name": called[0], "arguments": json.dumps(called[1])}
        call = {"index": 0, "id": "call_1", "type": "function", "function": function}
        message, ends = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    told = {"id": "chat-1", "created": 1, "model": body.get("model", forms.MODEL), "usage": _USAGE}
    if not body.get("stream"):
        choice = {"index": 0, "finish_reason": ends, "message": message}
        return forms.JSON, json.dumps(told | {"object": "chat.completion", "choices": [choice]}).encode()
    chunk = {name: value for name, value in told.items() if name != "usage"} | {
        "object": "chat.completion.chunk"
    }
    said = chunk | {"choices": [{"index": 0, "finish_reason": None, "delta": message}]}
    end = chunk | {"choices": [{"index": 0, "finish_reason": ends, "delta": {}}]}
    return forms.EVENTS, forms.events(said, end, chunk | {"choices": [], "usage": _USAGE}, done=True)


_USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
