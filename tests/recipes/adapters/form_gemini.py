"""Google's generateContent."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from tests.recipes.adapters import forms
from tests.recipes.adapters.forms import Piece


def pieces(body: Mapping[str, Any]) -> list[Piece]:
    system = body.get("systemInstruction") or body.get("system_instruction") or {}
    found = [Piece("system", text) for text, _ in forms.texts(system.get("parts"))]
    found += [
        Piece("assistant" if content.get("role") == "model" else "user", text)
        for content in body["contents"]
        for text, _ in forms.texts(content.get("parts"))
    ]
    return found


def tools(body: Mapping[str, Any]) -> list[str]:
    offered = body.get("tools") or ()
    return [
        one["name"]
        for tool in offered
        for one in tool.get("functionDeclarations") or tool.get("function_declarations") or ()
    ]


def results(body: Mapping[str, Any]) -> list[str]:
    return [
        json.dumps(part["functionResponse"], ensure_ascii=False)
        for content in body["contents"]
        for part in content.get("parts") or ()
        if "functionResponse" in part
    ]


def answer(path: str, body: Mapping[str, Any]) -> tuple[str, bytes]:
    wants = forms.calls(sys.modules[__name__], body, pieces(body))
    part: dict[str, Any] = (
        {"functionCall": {"name": forms.SEARCH, "args": forms.QUERY}} if wants else {"text": forms.SAID}
    )
    candidate = {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12}
    told = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini"}
    if "streamGenerateContent" in path:
        return forms.EVENTS, forms.events(told)
    return forms.JSON, json.dumps(told).encode()
