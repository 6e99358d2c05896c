"""OpenAI's responses."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from tests.recipes.adapters import forms
from tests.recipes.adapters.forms import Piece


def pieces(body: Mapping[str, Any]) -> list[Piece]:
    found = [Piece("system", body["instructions"])] if body.get("instructions") else []
    sent = body.get("input") or ()
    items = [{"role": "user", "content": sent}] if isinstance(sent, str) else sent
    found += [
        Piece(item["role"], text, "prompt_cache_breakpoint" in part)
        for item in items
        if "role" in item
        for text, part in forms.texts(item.get("content"))
    ]
    return found


def tools(body: Mapping[str, Any]) -> list[str]:
    return [one["name"] for one in body.get("tools") or () if one["type"] == "function"]


def results(body: Mapping[str, Any]) -> list[str]:
    sent = body.get("input") or ()
    return [
        str(item["output"])
        for item in sent
        if isinstance(item, Mapping) and item.get("type") == "function_call_output"
    ]


def answer(_path: str, body: Mapping[str, Any]) -> tuple[str, bytes]:
    if forms.calls(sys.modules[__name__], body, pieces(body)):
        item: dict[str, Any] = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": forms.SEARCH,
            "arguments": json.dumps(forms.QUERY),
            "status": "completed",
        }
    else:
        text = {"type": "output_text", "text": forms.SAID, "annotations": []}
        item = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
    told = _response(body, [item])
    if not body.get("stream"):
        return forms.JSON, json.dumps(told).encode()
    return forms.EVENTS, forms.events(*_streamed(body, item, told), named=True)


def _streamed(body: Mapping[str, Any], item: dict[str, Any], told: dict[str, Any]) -> list[dict[str, Any]]:
    begun: list[dict[str, Any]] = [
        {"type": "response.created", "response": _response(body, []) | {"status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": _begun(item)},
    ]
    where = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    if item["type"] == "message":
        part = item["content"][0]
        begun += [
            {"type": "response.content_part.added", **where, "part": part | {"text": ""}},
            {"type": "response.output_text.delta", **where, "delta": forms.SAID, "logprobs": []},
            {"type": "response.output_text.done", **where, "text": forms.SAID, "logprobs": []},
            {"type": "response.content_part.done", **where, "part": part},
        ]
    ended: list[dict[str, Any]] = [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": told},
    ]
    return [one | {"sequence_number": at} for at, one in enumerate((*begun, *ended))]


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    begun = item | {"status": "in_progress"}
    return begun | {"content": []} if item["type"] == "message" else begun


def _response(body: Mapping[str, Any], output: list[dict[str, Any]]) -> dict[str, Any]:
    details: dict[str, Any] = {
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": body.get("model", forms.MODEL),
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": details | {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12},
    }
