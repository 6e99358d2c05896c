"""Turns of invented work."""

from __future__ import annotations

from typing import Any

from tarimba.conversations.model import Turn


def turn(role: str, text: str | None = None, **fields: Any) -> Turn:
    given: dict[str, Any] = {
        "turn_id": "t",
        "ordinal": 0,
        "kind": "message",
        "role": role,
        "channel": "chat",
        "text": text,
        "operation": None,
        "result": None,
        "purpose": None,
        "objects": (),
        "occurred_at": 0,
    }
    return Turn(**(given | fields))


def said(text: str) -> Turn:
    return turn("customer", text)


def did(operation: str, *types: str, **fields: Any) -> Turn:
    objects = tuple((one, "erp") for one in types)
    return turn("ai_agent", kind="action", operation=operation, objects=objects, **fields)
