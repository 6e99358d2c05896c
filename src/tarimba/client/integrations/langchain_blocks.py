"""Where the notes stand in a system message of LangChain, and the mark behind them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tarimba.client.composing import CUSTOMER, Composed, compose

Block = dict[str, Any]
Mark = Mapping[str, Any]
# Anthropic refuses a fifth mark, OpenAI writes no more than four.
MOST_MARKS: Final = 4
_ANTHROPIC: Final[Mark] = {"cache_control": {"type": "ephemeral"}}
_OPENAI: Final[Mark] = {"prompt_cache_breakpoint": {"mode": "explicit"}}
_GPT: Final = re.compile(r"gpt-(\d+)(?:\.(\d+))?")
_OPENAI_SINCE: Final = (5, 6)


def mark_of(model: Any) -> Mark:
    """What tells the model's provider to keep everything up to a block; empty where it takes none."""
    kind = getattr(model, "_llm_type", "")
    if kind == "anthropic-chat":
        return _ANTHROPIC
    version = _GPT.search(str(getattr(model, "model_name", "")))
    takes_one = version and (int(version[1]), int(version[2] or 0)) >= _OPENAI_SINCE
    return _OPENAI if takes_one and kind in {"openai-chat", "azure-openai-chat"} else {}


def marks(content: Any) -> int:
    """How many of the places for marks a content, a list of tools or settings use up."""
    if isinstance(content, Mapping):
        own = sum(name in content for name in (*_ANTHROPIC, *_OPENAI))
        return own + marks(content.get("extras"))
    if isinstance(content, list | tuple):
        return sum(marks(one) for one in content)
    return marks(getattr(content, "extras", None)) if hasattr(content, "extras") else 0


def placed(content: Any, composed: Composed, mark: Mark) -> Any:
    """A system message's content with the notes (`composed.shared`) and the customer's context (`composed.customer`).

    Blocks of the caller and their marks stay as they are; one that holds a customer's context is divided where that
    begins. Notes that are there already make room for these.
    """
    if isinstance(content, str) and not mark:
        return compose(content, composed.shared, composed.customer.strip("\n")).text
    own, theirs = _divided(_blocks(content))
    between = "\n\n" if own else ""
    notes = [_text(between + composed.shared) | dict(mark)] if composed.shared else []
    context = composed.customer.strip("\n")
    behind = [*theirs, *([_text("\n\n" + context)] if context else [])]
    return [*own, *notes, *behind]


def _blocks(content: Any) -> list[Block]:
    listed: Iterable[Any] = [content] if isinstance(content, str) else content or ()
    blocks = [_text(one) if isinstance(one, str) else dict(one) for one in listed]
    return [one for one in map(_without_notes, blocks) if one.get("text") != ""]


def _without_notes(block: Block) -> Block:
    text = block.get("text")
    holds_notes = isinstance(text, str) and "<agent_notes>" in text
    return block | {"text": compose(str(text)).text} if holds_notes else block


def _divided(blocks: list[Block]) -> tuple[list[Block], list[Block]]:
    """The instructions, and what begins with the customer's context."""
    for at, block in enumerate(blocks):
        text = block.get("text")
        if isinstance(text, str) and CUSTOMER in text:
            start = text.index(CUSTOMER)
            head = text[:start].rstrip("\n")
            # A mark keeps everything up to the end of its block, which is in the later half.
            before = [_text(head)] if head else []
            return [*blocks[:at], *before], [block | {"text": "\n\n" + text[start:]}, *blocks[at + 1 :]]
    return blocks, []


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
