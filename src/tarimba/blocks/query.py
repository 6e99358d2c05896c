"""Reading the query string of the block: strict about names and ranges, lenient about tags that can't match."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from tarimba.blocks.cache import BlockQuery
from tarimba.errors import Refusal, invalid
from tarimba.text import CALLER_ID_MAX, GateError, caller_id

TOKENS_MIN, TOKENS_MAX = 50, 2000
VIEW_MAX = 128
_FIELDS_MAX = 200
_SINGLE = frozenset({"max_tokens", "view", "conversation_id", "task_id"})
_NUMBER = re.compile(r"[0-9]{1,6}", re.ASCII)
_TAG = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,63}", re.ASCII)
_BROKEN = re.compile(b"%(?![0-9A-Fa-f]{2})|%00")


@dataclass(frozen=True, slots=True)
class BlockRequest:
    """A read of the block: what decides its bytes, and for which conversation or task it is (the receipt)."""

    query: BlockQuery
    conversation_id: str | None = None
    task_id: str | None = None


_PLAIN = BlockRequest(BlockQuery())


def read_query(raw: bytes) -> BlockRequest:
    """Raises 422 `invalid_input` naming the parameter and its rule."""
    if not raw:
        return _PLAIN
    single, tags = _split(_pairs(raw))
    tokens = single.get("max_tokens")
    query = BlockQuery(None if tokens is None else _max_tokens(tokens), tags, _text(single, "view", VIEW_MAX))
    return BlockRequest(query, _caller_id(single, "conversation_id"), _caller_id(single, "task_id"))


def _pairs(raw: bytes) -> list[tuple[str, str]]:
    if _BROKEN.search(raw):
        raise invalid("query", "holds an escape that is broken or stands for NUL")
    try:
        # `;` and other odd separators are plain text; bytes that are no UTF-8 are refused, not replaced.
        text = raw.decode("ascii")
        if "%" not in text and "+" not in text and text.count("&") < _FIELDS_MAX:
            # Nothing to decode, as in most reads: the general reader costs five times as much.
            parts = (part.partition("=") for part in text.split("&") if part)
            return [(name, value) for name, _, value in parts]
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_FIELDS_MAX)
    except ValueError as error:
        raise invalid("query", "must be percent-encoded UTF-8 with at most 200 parameters") from error


def _split(pairs: list[tuple[str, str]]) -> tuple[dict[str, str], tuple[str, ...]]:
    single: dict[str, str] = {}
    tags: set[str] = set()
    unknown = 0
    for name, value in pairs:
        if name == "tags":
            # A tag that breaks the rule for tags can't be on any note.
            if _TAG.fullmatch(value):
                tags.add(value)
        elif name not in _SINGLE:
            unknown += 1
        elif name in single:
            raise invalid(name, "must be given once")
        else:
            single[name] = value
    if unknown:
        raise Refusal("invalid_input", f"The query has {unknown} unknown parameter(s).")
    return single, tuple(sorted(tags))


def _max_tokens(value: str) -> int:
    if not _NUMBER.fullmatch(value) or not TOKENS_MIN <= int(value) <= TOKENS_MAX:
        raise invalid("max_tokens", f"must be a whole number from {TOKENS_MIN} to {TOKENS_MAX}")
    return int(value)


def _text(single: Mapping[str, str], name: str, longest: int) -> str | None:
    value = single.get(name)
    if value is not None and not 1 <= len(value) <= longest:
        raise invalid(name, f"must have 1 to {longest} characters")
    return value


def _caller_id(single: Mapping[str, str], name: str) -> str | None:
    value = _text(single, name, CALLER_ID_MAX)
    try:
        return value and caller_id(value, field=name)
    except GateError as error:
        raise Refusal("invalid_input", error.sentence) from None


def matches(if_none_match: str, etag: str) -> bool:
    """Whether the header names the etag: bare, quoted, `W/`, in a list, or `*` (RFC 9110, 13.1.2)."""
    if if_none_match == etag:
        return True
    for part in if_none_match.split(","):
        shown = part.strip().removeprefix("W/").strip('"')
        if shown in (etag, "*"):
            return True
    return False
