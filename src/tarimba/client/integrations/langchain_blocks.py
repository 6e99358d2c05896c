"""Which mark a chat model of LangChain takes behind the notes, and how many a request has. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tarimba.client.integrations.blocks import ANTHROPIC, OPENAI, Mark, openai_mark


def mark_of(model: Any) -> Mark:
    """What tells the model's provider to keep everything up to a block; empty where it takes none."""
    kind = getattr(model, "_llm_type", "")
    if kind == "anthropic-chat":
        return ANTHROPIC
    is_openai = kind in {"openai-chat", "azure-openai-chat"}
    return openai_mark(str(getattr(model, "model_name", ""))) if is_openai else {}


def marks(content: Any) -> int:
    """How many of the places for marks a content, a list of tools or settings use up."""
    if isinstance(content, Mapping):
        own = sum(name in content for name in (*ANTHROPIC, *OPENAI))
        return own + marks(content.get("extras"))
    if isinstance(content, list | tuple):
        return sum(marks(one) for one in content)
    return marks(getattr(content, "extras", None)) if hasattr(content, "extras") else 0
