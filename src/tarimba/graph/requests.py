"""What requests of a member about their own graph may hold, and what they are answered with.

Names may hold anything, so they stand in the query or the body, never in a path.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from tarimba.graph.formats import Format
from tarimba.graph.model import ITEMS_MAX, NAME_MAX, OBSERVATION_MAX, TYPE_MAX
from tarimba.http.reading import CallerId
from tarimba.identity.seats import Called

Named = Annotated[str, Field(max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=NAME_MAX)]
EntityType = Annotated[str, Field(max_length=TYPE_MAX)]
"""May be empty, as for the tools and in files."""
RelationType = Annotated[str, Field(min_length=1, max_length=TYPE_MAX)]
Text = Annotated[str, Field(min_length=1, max_length=OBSERVATION_MAX)]
Confidence = Annotated[float | None, Field(ge=0, le=1)]
Cursor = Annotated[str | None, Field(max_length=512)]
ObservationId = Annotated[str, Field(pattern=r"^[0-9a-f]{16,64}$")]
Standing = Literal["active", "archived", "merged"]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SeatQuery(_Request):
    """The subscription, of which the caller is a member, and the agent: by slug or id."""

    subscription: Named
    agent: Named

    def called(self) -> Called:
        return Called(self.subscription, self.agent)


class EntitiesQuery(SeatQuery):
    """Without `type` entities of every type; those that were merged into others are listed on request alone."""

    type: EntityType | None = None
    status: Standing = "active"
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class EntityQuery(SeatQuery):
    """`cursor` goes on within the observations of the entity."""

    name: Name
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class NameQuery(SeatQuery):
    name: Name


class NeighbourhoodQuery(SeatQuery):
    name: Name
    hops: Annotated[int, Field(ge=1, le=3)] = 1
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class SearchQuery(SeatQuery):
    """`by` words: case and accents do not count; by meaning: what comes near, where the server can tell."""

    query: Annotated[str, Field(max_length=1000)]
    by: Literal["words", "meaning"] = "words"
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class RecentQuery(SeatQuery):
    hours: Annotated[int, Field(ge=1, le=24 * 366)] = 24
    cursor: Cursor = None


class ConversationQuery(SeatQuery):
    conversation_id: CallerId
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class ChangesQuery(SeatQuery):
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class ExportQuery(SeatQuery):
    format: Format = "json"


class ObservationQuery(NameQuery):
    """`id` is that of one observation of the entity."""

    id: ObservationId


class RelationQuery(SeatQuery):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    source: Annotated[Name, Field(alias="from")]
    to: Name
    relation_type: RelationType


class ObservationBody(_Request):
    text: Text
    confidence: Confidence = None


class NewEntityBody(_Request):
    name: Name
    entity_type: EntityType
    observations: Annotated[list[ObservationBody], Field(max_length=ITEMS_MAX)] = []


class EntityBody(_Request):
    """What is to be changed: at least one of them."""

    name: Name | None = None
    entity_type: EntityType | None = None


class AddBody(_Request):
    name: Name
    observations: Annotated[list[ObservationBody], Field(min_length=1, max_length=ITEMS_MAX)]


class RelationBody(_Request):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    source: Annotated[Name, Field(alias="from")]
    to: Name
    relation_type: RelationType


class NameBody(_Request):
    name: Name


class MergeBody(_Request):
    """`source` ends in `target`, which gets its observations and relations."""

    source: Name
    target: Name


class UndoBody(_Request):
    change_id: Annotated[str, Field(min_length=1, max_length=64)]


class SeenView(TypedDict):
    """`conversation_id` is where it was learned, null where that is not known."""

    text: str
    confidence: float | None
    conversation_id: str | None
    created_at: str


class ObservationView(SeenView):
    """`id` names the observation within its entity."""

    id: str


RelationView = TypedDict(
    "RelationView",
    {
        "from": str,
        "to": str,
        "relation_type": str,
        "conversation_id": str | None,
        "created_at": str,
        "is_dangling": bool,
    },
)


class RowView(TypedDict):
    name: str
    entity_type: str
    status: Standing
    merged_into: str | None
    conversation_id: str | None
    created_at: str
    changed_at: str
    observation_count: int


class TypeView(TypedDict):
    type: str
    count: int


class EntitiesView(TypedDict):
    """`types` counts entities of the status by type, the hundred most frequent; `counts` all that the graph holds."""

    items: list[RowView]
    types: list[TypeView]
    counts: dict[str, int]
    next_cursor: NotRequired[str]


class OpenedView(RowView):
    """`relations` are those that touch the entity; there are more than the 500 shown when they are truncated."""

    observations: list[ObservationView]
    relations: list[RelationView]
    relations_truncated: bool
    next_cursor: NotRequired[str]


class NeighbourhoodView(TypedDict):
    """`truncated` is true when there is more within so many hops."""

    entities: list[RowView]
    relations: list[RelationView]
    truncated: bool


class EntityView(RowView):
    """`observations` may be a part of the `observation_count` that there are."""

    observations: list[SeenView]


class SightView(TypedDict):
    """`truncated` is true when there is more, which `next_cursor` goes on with."""

    entities: list[EntityView]
    relations: list[RelationView]
    truncated: bool
    next_cursor: NotRequired[str]


class FoundView(SightView):
    """`search_type` says what was really used; `scores` are those of the entities, where they were found by meaning."""

    search_type: Literal["words", "bm25", "hybrid"]
    scores: list[float]


class LearnedView(TypedDict):
    """An observation with the entity that it is of."""

    entity: str
    observation: ObservationView


class LearnedInView(TypedDict):
    entities: list[RowView]
    observations: list[LearnedView]
    relations: list[RelationView]
    next_cursor: NotRequired[str]


class ActorView(TypedDict):
    type: str
    id: str


class ChangeView(TypedDict):
    """`undo` says whether it can be undone now, or why not; `undone_by` names the change that undid it."""

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


class ChangedView(TypedDict):
    """`changed` counts what differs now; 0 when it was so already, or was never there."""

    changed: int
    receipt_id: str


class MadeView(ChangedView):
    """`similar` are names of entities from which the new one differs by case or accents only."""

    similar: list[str]


class RelatedView(ChangedView):
    """`dangling` are the ends that name no entity."""

    dangling: list[str]


class UndoneView(TypedDict):
    change_id: str
    undone_by: str
    receipt_id: str


class ExportView(TypedDict):
    """The document of `json`; the other formats have one such entry on each line."""

    entities: list[dict[str, Any]]
    relations: list[dict[str, Any]]


class FaultView(TypedDict):
    """`number` is that of the line, or of the entry of the array, counted from 1."""

    part: Literal["lines", "entities", "relations"]
    number: int
    reason: str


class ImportedView(TypedDict):
    """What was new, what was there already, and what was refused: `refused` names up to 1,000 of `refused_count`."""

    entities: int
    observations: int
    relations: int
    known: int
    refused_count: int
    refused: list[FaultView]
    receipt_id: str
