"""The function tools of the history, as data. None takes a customer: that is bound where the tools are given out."""

from __future__ import annotations

from typing import Any, Final

from tarimba.identity.model import Principal
from tarimba.identity.rules import allow, may
from tarimba.kernel import Kernel
from tarimba.notes import service as notes

ITEM_KINDS: Final = ("episode", "action", "system_event")
QUERY_MAX: Final = 2000
ITEM_ID_MAX: Final = 512
CURSOR_MAX: Final = 256
ENTRIES_MAX: Final = 32

_SEARCH_WORDS: Final = (
    "Looks for something in what happened with this customer before: what was said, what was done. Call it when the "
    "customer speaks of something earlier. Do not call it for what the context already says, nor to learn how to do "
    "something: there are no procedures in it, search_agent_memory has those."
)
_TIMELINE_WORDS: Final = (
    "Lists what happened with this customer, newest first. Call it to leaf through the history when there is no word "
    "to look for; pass `next_cursor` as `cursor` to go on. Do not call it for a question that "
    "search_customer_history can answer."
)
_OPEN_WORDS: Final = (
    "Opens one item that search_customer_history or get_customer_timeline returned, with what was said around it. Do "
    "not call it with an id from anywhere else."
)


def history_tools(kernel: Kernel, principal: Principal, *, agent_memory: bool) -> list[dict[str, Any]]:
    """The tools that this key may use: the history's, and the notes' when asked for. Raises 403."""
    allow(principal, "tools")
    offered = _definitions() if may(principal, "context") else []
    return [*offered, *(notes.tools(kernel, principal) if agent_memory else [])]


def _definitions() -> list[dict[str, Any]]:
    query = {
        "type": "string",
        "minLength": 1,
        "maxLength": QUERY_MAX,
        "description": "In the customer's words.",
    }
    tokens = {
        "type": "integer",
        "minimum": 50,
        "maximum": 4000,
        "description": "How much the items may cost.",
    }
    limit = {"type": "integer", "minimum": 1, "maximum": 100}
    item = {
        "type": "string",
        "minLength": 1,
        "maxLength": ITEM_ID_MAX,
        "description": "The item's `id`.",
    }
    found = {"query": query, "filters": _filters(), "max_tokens": tokens}
    listed = {"cursor": {"type": "string", "maxLength": CURSOR_MAX}, "limit": limit, "filters": _filters()}
    return [
        _function("search_customer_history", _SEARCH_WORDS, found, ["query"]),
        _function("get_customer_timeline", _TIMELINE_WORDS, listed, []),
        _function("open_history_item", _OPEN_WORDS, {"id": item}, ["id"]),
    ]


def _filters() -> dict[str, Any]:
    moment = {"type": "string", "format": "date-time"}
    return {
        "type": "object",
        "properties": {
            "since": moment,
            "until": moment,
            "channels": _list_of({"type": "string"}),
            "item_kinds": _list_of({"type": "string", "enum": list(ITEM_KINDS)}),
        },
        "additionalProperties": False,
    }


def _list_of(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "maxItems": ENTRIES_MAX, "items": items}


def _function(name: str, words: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": words, "parameters": parameters}}
