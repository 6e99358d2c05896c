"""The results of the tools as JSON: the reference server's members under its names, ours beside them. Pure.

`text` is the one way to write such a result as text: reads are measured by it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal

from tarimba.clock import rfc3339
from tarimba.graph.model import (
    Added,
    Created,
    Deleted,
    Entity,
    Meant,
    Observation,
    Related,
    Relation,
    Settled,
    Sight,
)

View = Literal["brief", "plain", "whole"]
"""`brief`: how many observations alone; `plain`: as the reference server shows it; `whole`: with times and sources."""

Deletable = Literal["entities", "observations", "relations"]
Settlement = Literal["merge", "archive", "unarchive"]

# The reference server's own sentences.
_DELETED: Final[Mapping[Deletable, str]] = {
    "entities": "Entities deleted successfully",
    "observations": "Observations deleted successfully",
    "relations": "Relations deleted successfully",
}
_SETTLED: Final[Mapping[tuple[Settlement, bool], str]] = {
    ("merge", True): "Entities merged: the source's observations and relations are now the target's",
    ("archive", True): "Entity archived: hidden from reading and searching, still opened by its name",
    ("archive", False): "Entity was archived already",
    ("unarchive", True): "Entity is active again",
    ("unarchive", False): "Entity was active already",
}
_HIDDEN: Final = ", which is archived: unarchive it to read and search what it holds"


def text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def entity(one: Entity, view: View = "plain") -> dict[str, Any]:
    """`moreObservations` counts those that are not in this answer, before or behind what is shown.

    `continued`: the page before ended within this entity; `cut`: the text of its last observation goes on on the next.
    """
    shown: dict[str, Any] = {
        "name": one.name,
        "entityType": one.entity_type,
        "observations": [observation.text for observation in one.observations],
    }
    if one.status != "active" or view == "whole":
        shown["status"] = one.status
    if one.merged_into is not None:
        shown["mergedInto"] = one.merged_into
    if one.observation_count > len(one.observations):
        shown["moreObservations"] = one.observation_count - len(one.observations)
    if one.is_continued:
        shown["continued"] = True
    if one.is_cut:
        shown["cut"] = True
    if view == "whole":
        shown |= _told(one.created_at, one.conversation_id)
        shown["changedAt"] = rfc3339(one.changed_at)
        shown["sources"] = [source(observation) for observation in one.observations]
    return shown


def source(one: Observation) -> dict[str, Any]:
    """Where an observation comes from: it stands at the place of its text."""
    told = _told(one.created_at, one.conversation_id)
    return told if one.confidence is None else told | {"confidence": one.confidence}


def relation(one: Relation, view: View = "plain") -> dict[str, Any]:
    shown: dict[str, Any] = {"from": one.source, "to": one.target, "relationType": one.relation_type}
    if one.is_dangling:
        shown["dangling"] = True
    return shown | (_told(one.created_at, one.conversation_id) if view == "whole" else {})


def created(result: Created) -> dict[str, Any]:
    return {
        "entities": [entity(one) for one in result.entities],
        "skipped": list(result.skipped),
        "similar": [{"name": one.name, "existing": one.existing} for one in result.similar],
    }


def related(result: Related) -> dict[str, Any]:
    return {
        "relations": [relation(one) for one in result.relations],
        "skipped": result.skipped,
        "dangling": list(result.dangling),
    }


def added(result: Added) -> dict[str, Any]:
    return {
        "results": [
            {"entityName": one.entity_name, "addedObservations": list(one.added), "skipped": one.skipped}
            for one in result.results
        ]
    }


def deleted(result: Deleted, what: Deletable) -> dict[str, Any]:
    return {"success": True, "message": _DELETED[what], "deleted": result.deleted}


def settled(result: Settled, what: Settlement) -> dict[str, Any]:
    hidden = _HIDDEN if result.is_hidden else ""
    return {"success": True, "message": _SETTLED[what, result.changed] + hidden}


def sight(result: Sight, view: View = "plain") -> dict[str, Any]:
    return {
        "entities": [entity(one, view) for one in result.entities],
        "relations": [relation(one, view) for one in result.relations],
        "truncated": result.truncated,
        "next_cursor": result.next_cursor,
    }


def meant(result: Meant) -> dict[str, Any]:
    hits = [entity(hit.entity) | {"score": round(hit.score, 4)} for hit in result.hits]
    return {"entities": hits, "searchType": result.search_type}


def _told(created_at: int, conversation_id: str | None) -> dict[str, Any]:
    told = {"createdAt": rfc3339(created_at)}
    return told | ({"conversation": conversation_id} if conversation_id is not None else {})
