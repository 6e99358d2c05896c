"""The JSON Schema of what each tool of the memory graph answers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

Schema = dict[str, Any]

_STRING: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer"}
_FLAG: Final[Schema] = {"type": "boolean"}
_SCORE: Final[Schema] = {"type": "number"}


def _object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_TOLD: Final = {"createdAt": _STRING, "conversation": _STRING}
_SOURCE: Final = _object({"createdAt": _STRING}, {"conversation": _STRING, "confidence": _SCORE})
_SHOWN: Final = {"name": _STRING, "entityType": _STRING, "observations": _list(_STRING)}
_BESIDE: Final = {
    "status": {"type": "string", "enum": ["active", "archived", "merged"]},
    "mergedInto": _STRING,
    "moreObservations": _COUNT,
    "continued": _FLAG,
    "cut": _FLAG,
    "changedAt": _STRING,
    "sources": _list(_SOURCE),
    **_TOLD,
}
_ENTITY: Final = _object(_SHOWN, _BESIDE)
_HIT: Final = _object({**_SHOWN, "score": _SCORE}, _BESIDE)
_RELATION: Final = _object(
    {"from": _STRING, "to": _STRING, "relationType": _STRING}, {"dangling": _FLAG, **_TOLD}
)
_SIMILAR: Final = _object({"name": _STRING, "existing": _STRING})
_ADDED: Final = _object({"entityName": _STRING, "addedObservations": _list(_STRING), "skipped": _COUNT})
_DELETED: Final = _object({"success": _FLAG, "message": _STRING, "deleted": _COUNT})
_SETTLED: Final = _object({"success": _FLAG, "message": _STRING})
_SIGHT: Final = _object(
    {
        "entities": _list(_ENTITY),
        "relations": _list(_RELATION),
        "truncated": _FLAG,
        "next_cursor": {"type": ["string", "null"]},
    }
)

_ANSWERS: Final[Mapping[str, Schema]] = {
    "create_entities": _object(
        {"entities": _list(_ENTITY), "skipped": _list(_STRING), "similar": _list(_SIMILAR)}
    ),
    "create_relations": _object(
        {"relations": _list(_RELATION), "skipped": _COUNT, "dangling": _list(_STRING)}
    ),
    "add_observations": _object({"results": _list(_ADDED)}),
    "delete_entities": _DELETED,
    "delete_observations": _DELETED,
    "delete_relations": _DELETED,
    "read_graph": _SIGHT,
    "open_nodes": _SIGHT,
    "search_nodes": _SIGHT,
    "semantic_search": _object(
        {"entities": _list(_HIT), "searchType": {"type": "string", "enum": ["bm25", "hybrid"]}}
    ),
    "merge_entities": _SETTLED,
    "archive_entity": _SETTLED,
    "unarchive_entity": _SETTLED,
    "get_entity_details": _SIGHT,
    "get_recent_changes": _SIGHT,
}
# How many members of the call were ones that the tool does not declare; nothing where there were none.
_IGNORED: Final = {"ignored": _COUNT}
OUTPUTS: Final[Mapping[str, Schema]] = MappingProxyType(
    {name: answer | {"properties": {**answer["properties"], **_IGNORED}} for name, answer in _ANSWERS.items()}
)
