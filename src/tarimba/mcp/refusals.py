"""A refusal in words that a model can act on: what to change, or when to try again. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tarimba.errors import Refusal


def words(refusal: Refusal) -> str:
    """What the model reads. Names kinds and places of personal data, never the data."""
    parts = [f"{refusal.title}: {refusal.detail}"]
    kinds = refusal.extra.get("kinds", ())
    if kinds:
        parts.append(f"Remove: {', '.join(kinds)}.")
    places = [_place(finding) for finding in refusal.extra.get("findings", ())]
    if places:
        parts.append(f"It is in {'; '.join(dict.fromkeys(places))}.")
    if "request_id" in refusal.extra:
        parts.append(f"request_id: {refusal.extra['request_id']}")
    if refusal.retry_after is not None:
        parts.append(f"Try again in {_duration(refusal.retry_after)}.")
    return " ".join(parts)


def fields(refusal: Refusal) -> dict[str, Any]:
    """The same for programs: `code`, the refusal's own members, and `retry_after` in seconds when there is one."""
    retry = {} if refusal.retry_after is None else {"retry_after": refusal.retry_after}
    return {**refusal.extra, "code": refusal.code, "detail": refusal.detail, **retry}


def _place(finding: Mapping[str, Any]) -> str:
    return f"{finding['field']}, characters {finding['start']} to {finding['end']} ({finding['kind']})"


def _duration(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} seconds"
    return f"{seconds} seconds (about {-(-seconds // 60)} minutes)"
