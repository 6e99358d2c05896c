"""The lines of a durable session: one JSON object each, with at least `role`, `content` and `created_at`. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tarimba.errors import Refusal, invalid

LINE_MAX: Final = 8 * 1024 * 1024
# One above a line is stored apart, up to this.
APART_MAX: Final = 64 * 1024 * 1024
_ROLE_MAX: Final = 64
# Which line of a harness's transcript it came from: it stands first, so that it is read without the rest.
MARK: Final = "_mark"
_MARKED: Final = f'{{"{MARK}":"'.encode()
_MARK_SIZE: Final = 32

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """`data` is what is appended, with its line break; `apart` the whole message where that only refers to it."""

    data: bytes
    apart: bytes | None = None

    @property
    def apart_name(self) -> str:
        return f"{hashlib.sha256(self.apart or b'').hexdigest()}.json"


def session_key(member_id: str, session_id: str) -> str:
    """The name of a session's file: nothing that a harness or a person calls it becomes a path."""
    return hashlib.sha256(f"{member_id}::{session_id}".encode()).hexdigest()[:32]


def read_message(text: bytes) -> Message:
    """One message as JSON. Raises 422 for what is none, and 413."""
    if len(text) > APART_MAX:
        raise Refusal("too_large", f"A message is larger than {APART_MAX} bytes.")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise invalid("message", "must be one JSON object on a line of its own, in UTF-8") from None
    return checked_message(found)


def checked_message(found: Any) -> Message:
    """Raises 422 for what lacks a role or content."""
    if not isinstance(found, Mapping):
        raise invalid("message", "must be a JSON object")
    role = found.get("role")
    if not isinstance(role, str) or not 0 < len(role) <= _ROLE_MAX:
        raise invalid("role", f"must be a text of 1 to {_ROLE_MAX} characters")
    if "content" not in found:
        raise invalid("content", "must be there, if only null")
    if not isinstance(found.get("created_at", ""), str):
        raise invalid("created_at", "must be a text")
    return found


def line_of(message: Message, now: str, mark: str = "") -> Line:
    """The line of a message; `now` where it has no time of its own. Raises 422 and 413 for what no line can hold."""
    checked_message(message)
    head = {MARK: mark} if mark else {}
    rest = {name: value for name, value in message.items() if name != MARK or not mark}
    data = _encoded({**head, "created_at": now, **rest})
    if len(data) <= LINE_MAX:
        return Line(data)
    if len(data) > APART_MAX:
        raise Refusal("too_large", f"A message is larger than {APART_MAX} bytes.")
    kept = data[:-1]
    apart = {"hash": hashlib.sha256(kept).hexdigest(), "size": len(kept)}
    told = {"role": message["role"], "content": "", "created_at": rest.get("created_at") or now}
    return Line(_encoded({**head, **told, "apart": apart}), kept)


def mark_of(message: Message) -> str:
    """What tells a message of a transcript from every other: two that are equal in all have the same."""
    text = json.dumps(message, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:_MARK_SIZE]


def mark_in(line: bytes) -> str | None:
    """That of a stored line, if it is one."""
    start = len(_MARKED)
    if line.startswith(_MARKED) and line[start + _MARK_SIZE : start + _MARK_SIZE + 1] == b'"':
        return line[start : start + _MARK_SIZE].decode("ascii", "replace")
    found = parsed(line)
    return None if found is None else mark_of(found)


def parsed(line: bytes) -> Message | None:
    """A stored line; None for what is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _encoded(content: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode() + b"\n"
    except (ValueError, RecursionError):
        # A lone surrogate, NaN, or depths that no reader takes.
        raise invalid("message", "must hold what UTF-8 and JSON can") from None
