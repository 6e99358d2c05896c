"""Whether somebody has seen what they are about to change. Pure.

Source: RFC 9110, section 13.1.1 (If-Match).
"""

from __future__ import annotations

from tarimba.errors import Refusal


def require_match(header: str | None, present: str | None) -> None:
    """Raises 412 unless the If-Match of a caller names what stands there (`present`, its hash; None: nothing)."""
    if header is None:
        return
    named = {part.strip().removeprefix("W/").strip('"') for part in header.split(",")}
    if present is None or named.isdisjoint({"*", present}):
        raise Refusal("precondition_failed", "If-Match does not name this version: read it again.")
