"""What a body must look like before the protocol's own code sees it. Pure.

Source: JSON-RPC 2.0, section 4. The library's words about a broken envelope quote it; ours don't.
"""

from __future__ import annotations

from typing import Any, Final

from tarimba.errors import Refusal

_MEMBERS: Final = frozenset({"jsonrpc", "id", "method", "params"})


def check(message: Any) -> None:
    """Raises `invalid_input` (400) unless it is one request or one notification."""
    if not _is_message(message):
        raise _refused("The body must be one JSON-RPC 2.0 request or notification.")
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise _refused("params: must be an object")
    if message["method"] == "tools/call":
        if not isinstance(params.get("name"), str):
            raise _refused("params.name: must be a string")
        if not isinstance(params.get("arguments", {}), dict):
            raise _refused("params.arguments: must be an object")


def _is_message(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not _MEMBERS.issuperset(message):
        return False
    # True is an int to Python, not to JSON-RPC.
    is_named = "id" not in message or type(message["id"]) in (int, str)
    return is_named and isinstance(message.get("method"), str)


def _refused(detail: str) -> Refusal:
    return Refusal("invalid_input", detail, status=400)
