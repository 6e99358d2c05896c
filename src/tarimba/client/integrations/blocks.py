"""A system prompt in blocks of text: where the notes stand, and the mark behind them. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from tarimba.client.composing import CUSTOMER, Composed, compose

Block = dict[str, Any]
Mark = Mapping[str, Any]
# Anthropic and Bedrock refuse a fifth mark, OpenAI writes no more than four.
MOST_MARKS: Final = 4
ANTHROPIC: Final[Mark] = {"cache_control": {"type": "ephemeral"}}
OPENAI: Final[Mark] = {"prompt_cache_breakpoint": {"mode": "explicit"}}
# Of Bedrock's Converse: a block of its own behind what it marks.
POINT: Final[Mark] = {"cachePoint": {"type": "default"}}
_GPT: Final = re.compile(r"(?:^|/)gpt-(\d+)(?:\.(\d+))?")
_OPENAI_SINCE: Final = (5, 6)
_OPENAIS_OWN: Final = re.compile(r"(gpt|chatgpt|o\d)\b")
_POINTED: Final = re.compile(r"anthropic\.claude|amazon\.nova")
_NOTES: Final = "<agent_notes>"


def openai_mark(model: str) -> Mark:
    """The mark for a model of OpenAI's; empty for one that takes none."""
    version = _GPT.search(model)
    takes_one = version is not None and (int(version[1]), int(version[2] or 0)) >= _OPENAI_SINCE
    return OPENAI if takes_one else {}


def point(model: str) -> Mark:
    """The mark for a model on Bedrock; empty for one that takes none."""
    return POINT if _POINTED.search(model) else {}


def openai_key(model: str, instructions: str) -> dict[str, str]:
    """One key for all requests with the same instructions, so that they find the same cache; empty without them.

    Servers that only speak like OpenAI may not know the field, so it goes with OpenAI's own models.
    """
    if not _OPENAIS_OWN.match(model) or not instructions:
        return {}
    digest = hashlib.sha256(instructions.partition(CUSTOMER)[0].strip().encode()).hexdigest()
    return {"prompt_cache_key": f"agent-{digest[:32]}"}


def placed(content: Any, composed: Composed, mark: Mark) -> Any:
    """A system prompt's content with the notes (`composed.shared`) and the customer's context (`composed.customer`).

    `content` is a text, a sequence of blocks `{"text": ...}` or nothing. Blocks of the caller and their marks stay as
    they are; one that holds a customer's context is divided where that begins. Notes that are there already make room
    for these, so that whoever adapts twice has them once. A text without a mark stays a text.
    """
    context = composed.customer.strip("\n")
    if not mark and (content is None or isinstance(content, str)):
        return compose(content or "", composed.shared, context).text
    own, theirs = _divided(_blocks(content))
    between = "\n\n" if own else ""
    notes = [_text(between + composed.shared) | dict(mark)] if composed.shared else []
    return [*own, *notes, *theirs, *([_text("\n\n" + context)] if context else [])]


def apart(blocks: Iterable[Mapping[str, Any]]) -> list[Block]:
    """Blocks in the form of Converse, where one has one thing: a text, or the point behind it."""
    found: list[Block] = []
    for block in blocks:
        found += [{"text": block["text"]}] if "text" in block else []
        rest = {name: value for name, value in block.items() if name not in {"text", "type"}}
        found += [rest] if rest else []
    return found


def counted(value: Any, names: Collection[str]) -> int:
    """How often fields of these names occur anywhere in a request."""
    if isinstance(value, Mapping):
        return sum(name in value for name in names) + sum(counted(one, names) for one in value.values())
    return sum(counted(one, names) for one in value) if isinstance(value, list | tuple) else 0


def part(value: Any, name: str) -> Any:
    """A field of a mapping or of an SDK's object; None where it has none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _blocks(content: Any) -> list[Block]:
    listed: Sequence[Any] = [content] if isinstance(content, str) else list(content or ())
    blocks = [_text(one) if isinstance(one, str) else dict(one) for one in listed]
    return [one for one in map(_without_notes, blocks) if one.get("text") != ""]


def _without_notes(block: Block) -> Block:
    text = block.get("text")
    holds_notes = isinstance(text, str) and _NOTES in text
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
