"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class GraphRequestsRowView(TypedDict):
    name: str
    entity_type: str
    status: Literal["active", "archived", "merged"]
    merged_into: str | None
    conversation_id: str | None
    created_at: str
    changed_at: str
    observation_count: int


class TypeView(TypedDict):
    type: str
    count: int


class EntitiesView(TypedDict):
    items: list[GraphRequestsRowView]
    types: list[TypeView]
    counts: dict[str, int]
    next_cursor: NotRequired[str]


class ObservationView(TypedDict):
    text: str
    confidence: float | None
    conversation_id: str | None
    created_at: str
    id: str


RelationView = TypedDict(
    "RelationView",
    {
        "from": "str",
        "to": "str",
        "relation_type": "str",
        "conversation_id": "str | None",
        "created_at": "str",
        "is_dangling": "bool",
    },
)


class OpenedView(TypedDict):
    name: str
    entity_type: str
    status: Literal["active", "archived", "merged"]
    merged_into: str | None
    conversation_id: str | None
    created_at: str
    changed_at: str
    observation_count: int
    observations: list[ObservationView]
    relations: list[RelationView]
    relations_truncated: bool
    next_cursor: NotRequired[str]


class NeighbourhoodView(TypedDict):
    entities: list[GraphRequestsRowView]
    relations: list[RelationView]
    truncated: bool


class SeenView(TypedDict):
    text: str
    confidence: float | None
    conversation_id: str | None
    created_at: str


class EntityView(TypedDict):
    name: str
    entity_type: str
    status: Literal["active", "archived", "merged"]
    merged_into: str | None
    conversation_id: str | None
    created_at: str
    changed_at: str
    observation_count: int
    observations: list[SeenView]


class GraphRequestsFoundView(TypedDict):
    entities: list[EntityView]
    relations: list[RelationView]
    truncated: bool
    next_cursor: NotRequired[str]
    search_type: Literal["words", "bm25", "hybrid"]
    scores: list[float]


class SightView(TypedDict):
    entities: list[EntityView]
    relations: list[RelationView]
    truncated: bool
    next_cursor: NotRequired[str]


class LearnedView(TypedDict):
    entity: str
    observation: ObservationView


class LearnedInView(TypedDict):
    entities: list[GraphRequestsRowView]
    observations: list[LearnedView]
    relations: list[RelationView]
    next_cursor: NotRequired[str]


class ActorView(TypedDict):
    type: str
    id: str


class ChangeView(TypedDict):
    change_id: str
    action: str
    actor: ActorView
    conversation_id: str | None
    at: str
    receipt_id: str
    undo: Literal["possible", "undone", "too_old", "too_large"]
    undone_by: str | None


class ChangesView(TypedDict):
    items: list[ChangeView]
    next_cursor: NotRequired[str]


class ExportView(TypedDict):
    entities: list[dict[str, Any]]
    relations: list[dict[str, Any]]


class FaultView(TypedDict):
    part: Literal["lines", "entities", "relations"]
    number: int
    reason: str


class ImportedView(TypedDict):
    entities: int
    observations: int
    relations: int
    known: int
    refused_count: int
    refused: list[FaultView]
    receipt_id: str
