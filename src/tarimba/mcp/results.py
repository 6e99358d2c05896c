"""What the tools answer, as JSON and as the JSON Schema of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tarimba.notes import service
from tarimba.notes.model import Read, Written

_TEXTS: Final = (
    "note_id", "source_id", "kind", "title", "body", "visibility", "origin", "status", "created_at", "created_by",
)  # fmt: skip
_AWAITS: Final = (
    "A person decides whether this is kept. Go on with your work: there is nothing to do about it, and no need to "
    "send it again."
)
STRING: Final = {"type": "string"}
STRING_OR_NULL: Final = {"type": ["string", "null"]}


def found(read: Read) -> dict[str, Any]:
    return {"notes": [service.note_json(note) for note in read.notes], "receipt_id": read.receipt.id}


def kept(written: Written) -> dict[str, Any]:
    """What became of a note; a model is told in words when a person has to decide first."""
    warnings = [service.caution_json(caution) for caution in written.warnings]
    if written.note is None:
        warnings.append({"code": "awaits_person", "field": "note", "detail": _AWAITS})
    return {
        "note": None if written.note is None else service.note_json(written.note),
        "proposal_id": written.proposal_id,
        "warnings": warnings,
    }


def object_of(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def list_of(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}


_NOTE: Final = object_of(
    {
        **dict.fromkeys(_TEXTS, STRING),
        "tags": list_of(STRING),
        "evidence": {"type": ["object", "null"]},
        "version": {"type": "integer"},
        "supersedes_note_id": STRING_OR_NULL,
        "valid_until": STRING_OR_NULL,
    }
)
_WARNING: Final = object_of(dict.fromkeys(("code", "field", "detail"), STRING))
SCHEMAS: Final[Mapping[str, dict[str, Any]]] = MappingProxyType(
    {
        "search_agent_memory": object_of({"notes": list_of(_NOTE), "receipt_id": STRING}),
        "remember": object_of(
            {
                "note": {"anyOf": [_NOTE, {"type": "null"}]},
                "proposal_id": STRING_OR_NULL,
                "warnings": list_of(_WARNING),
            }
        ),
    }
)
