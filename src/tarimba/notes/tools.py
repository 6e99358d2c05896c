"""The function tools of the notes, as data: one form for the API, the MCP server and the clients.

The shape is that of function calling (`{"type": "function", "function": {name, description, parameters}}`).
"""

from __future__ import annotations

from typing import Any, Final

from tarimba.notes.model import KINDS

SEARCH: Final = "search_agent_memory"
REMEMBER: Final = "remember"
QUERY_MAX: Final = 500
TAGS_MAX: Final = 8
TAG_PATTERN: Final = "^[a-z0-9][a-z0-9_.:-]{0,63}$"

_SEARCH_WORDS: Final = (
    "Looks into the working notes of this agent: how procedures go, how tools and processes of the company "
    "behave, what tends to go wrong. Call it before a step you are not sure how to do. Do not call it to learn "
    "about a customer: there is nothing about customers in it, search_customer_history has that."
)
_REMEMBER_WORDS: Final = (
    "Keeps one short working note for later runs: a procedure that worked, how a tool or a process behaves, a "
    "pitfall. Do not call it for anything about a customer, nor for what matters only to this conversation: a "
    "note with a name, a phone, an e-mail, a document number or any other personal data is refused. Write it so "
    "that it helps with every customer."
)
_WAITS_WORDS: Final = (
    "In this company a person decides first: the answer then holds a `proposal_id` and no note. Do not send the "
    "same note again."
)


def search_tool() -> dict[str, Any]:
    """The definition of `search_agent_memory`."""
    query = {"type": "string", "maxLength": QUERY_MAX, "description": "What you want to know how to do."}
    return _function(SEARCH, _SEARCH_WORDS, {"query": query, "tags": _tags()}, ["query"])


def remember_tool(title_max: int, body_max: int, *, waits: bool = False) -> dict[str, Any]:
    """The definition of `remember` with the limits of a space; where it `waits`, a person decides what is kept."""
    properties = {
        "kind": {"type": "string", "enum": list(KINDS)},
        "title": {
            "type": "string",
            "maxLength": title_max,
            "description": "One line that says what it is about.",
        },
        "body": {"type": "string", "maxLength": body_max, "description": "At most about 120 words."},
        "tags": _tags(),
    }
    words = f"{_REMEMBER_WORDS} {_WAITS_WORDS}" if waits else _REMEMBER_WORDS
    return _function(REMEMBER, words, properties, ["kind", "title", "body"])


def _tags() -> dict[str, Any]:
    return {
        "type": "array",
        "maxItems": TAGS_MAX,
        "items": {"type": "string", "pattern": TAG_PATTERN},
        "description": "Object types, operations or systems it concerns, such as `invoice`, `refund`, `erp`.",
    }


def _function(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }
