"""The JSON Schema of what each tool of the memory graph takes.

Plain on purpose: no `$ref`, no choice at the top and nothing undeclared, which the APIs of every model take.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tarimba.graph.model import ITEMS_MAX, NAME_MAX, OBSERVATION_MAX, PAGE_MAX, TYPE_MAX
from tarimba.mcp import graph_arguments as given

Schema = dict[str, Any]


def _object(properties: Mapping[str, Schema], *optional: str) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _text(words: str, most: int) -> Schema:
    return {"type": "string", "maxLength": most, "description": words}


def _list(items: Schema, words: str) -> Schema:
    return {"type": "array", "items": items, "maxItems": ITEMS_MAX, "description": words}


def _number(kind: str, least: float, most: float, default: float, words: str) -> Schema:
    return {"type": kind, "minimum": least, "maximum": most, "default": default, "description": words}


def _switch(words: str) -> Schema:
    return {"type": "boolean", "default": False, "description": words}


_NAME: Final = _text("The entity's name, exactly as it was created.", NAME_MAX)
_OBSERVATION: Final = _text("One fact in a sentence of its own.", OBSERVATION_MAX)
_RELATION: Final = _object(
    {
        "from": _text("Name of the entity that the relation starts at.", NAME_MAX),
        "to": _text("Name of the entity that it leads to.", NAME_MAX),
        "relationType": _text("The relation, in active voice, such as `supplies`.", TYPE_MAX),
    }
)
_ENTITY: Final = _object(
    {
        "name": _text("A name by which it will be found again.", NAME_MAX),
        "entityType": _text("What kind of thing it is; use a type that is there already.", TYPE_MAX),
        "observations": _list(_OBSERVATION, "What is known of it."),
    }
)
_ADDITION: Final = _object(
    {
        "entityName": _NAME,
        "contents": _list(_OBSERVATION, "What is new."),
        "confidence": _list(
            {"type": "number", "minimum": 0, "maximum": 1}, "How sure each of `contents` is, in their order."
        ),
    },
    "confidence",
)
_DELETION: Final = _object(
    {"entityName": _NAME, "observations": _list(_OBSERVATION, "The observations, exactly as they are.")}
)
_NAMES: Final = _list(_NAME, "Names of entities.")
_LIMIT: Final = _number("integer", 1, PAGE_MAX, given.LIMIT, "The most entities and relations of one answer.")
_FOUND: Final = _number("integer", 1, given.FOUND_MAX, given.FOUND, "The most entities of one answer.")
_CURSOR: Final = _text("`next_cursor` of the answer before, to read on.", given.CURSOR_MAX)
_QUERY: Final = _text(
    "A part of a name, type or observation, or words of it; case and accents don't count.", given.QUERY_MAX
)
_MEANING: Final = _text("What you want to know, in your own words.", given.QUERY_MAX)
_DETAIL: Final = {
    "type": "string",
    "enum": ["minimal", "summary", "full"],
    "default": "summary",
    "description": "minimal: names and types; summary: with the first observations; full: with all of them.",
}
_BY_NAMES: Final = _object({"entityNames": _NAMES})
_OF_ONE: Final = _object({"name": _NAME})

INPUTS: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "create_entities": _object({"entities": _list(_ENTITY, "The entities to make.")}),
        "create_relations": _object({"relations": _list(_RELATION, "The relations to make.")}),
        "add_observations": _object({"observations": _list(_ADDITION, "What to add, entity by entity.")}),
        "delete_entities": _BY_NAMES,
        "delete_observations": _object({"deletions": _list(_DELETION, "What to delete, entity by entity.")}),
        "delete_relations": _object({"relations": _list(_RELATION, "The relations to delete.")}),
        "read_graph": _object(
            {
                "detailLevel": _DETAIL,
                "entityNames": _list(_NAME, "Only these entities, and the relations among them."),
                "includeArchived": _switch("Whether archived entities are shown."),
                "includeMerged": _switch("Whether entities are shown that were merged into others."),
                "limit": _LIMIT,
                "cursor": _CURSOR,
            },
            "detailLevel",
            "entityNames",
            "includeArchived",
            "includeMerged",
            "limit",
            "cursor",
        ),
        "open_nodes": _object({"names": _NAMES, "cursor": _CURSOR}, "cursor"),
        "search_nodes": _object(
            {
                "query": _QUERY,
                "maxObservations": _number(
                    "integer", 0, given.OBSERVATIONS_MAX, 5, "The most observations of each entity."
                ),
                "limit": _FOUND,
                "cursor": _CURSOR,
            },
            "maxObservations",
            "limit",
            "cursor",
        ),
        "semantic_search": _object(
            {
                "query": _MEANING,
                "k": _number("integer", 1, given.NEAREST_MAX, given.NEAREST, "How many entities at most."),
                "threshold": _number("number", 0, 1, 0, "How near the least of them must be."),
            },
            "k",
            "threshold",
        ),
        "merge_entities": _object(
            {
                "source": _text("Name of the entity that is merged away.", NAME_MAX),
                "target": _text("Name of the entity that keeps everything.", NAME_MAX),
            }
        ),
        "archive_entity": _OF_ONE,
        "unarchive_entity": _OF_ONE,
        "get_entity_details": _object({"entityNames": _NAMES, "cursor": _CURSOR}, "cursor"),
        "get_recent_changes": _object(
            {
                "hours": _number("integer", 1, given.HOURS_MAX, given.HOURS, "How far back, in hours."),
                "cursor": _CURSOR,
            },
            "hours",
            "cursor",
        ),
    }
)


def declared(tool: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """The arguments without members that the tool does not declare, and how many those were.

    The reference server leaves them out too, so that an agent that was made for it goes on working. What is declared
    stays as it came, whatever it is.
    """
    kept: dict[str, Any]
    kept, ignored = _declared(INPUTS[tool], arguments)
    return kept, ignored


def _declared(schema: Schema, value: Any) -> tuple[Any, int]:
    if schema["type"] == "array" and isinstance(value, list) and schema["items"]["type"] == "object":
        pairs = [_declared(schema["items"], one) for one in value]
        return [kept for kept, _ in pairs], sum(ignored for _, ignored in pairs)
    if schema["type"] != "object" or not isinstance(value, dict):
        return value, 0
    members = schema["properties"]
    parts = {name: _declared(members[name], one) for name, one in value.items() if name in members}
    ignored = len(value) - len(parts) + sum(count for _, count in parts.values())
    return {name: kept for name, (kept, _) in parts.items()}, ignored
