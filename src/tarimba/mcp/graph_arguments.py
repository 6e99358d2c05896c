"""What the tools of the memory graph take, and what they are asked with it.

Lengths and counts are rules of the graph and are checked where it is kept.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from tarimba.errors import invalid
from tarimba.graph.model import PAGE_MAX, Addition, Deletion, NewEntity, NewObservation, NewRelation, Reading
from tarimba.http.reading import BodyShape

CURSOR_MAX: Final = 2048
OBSERVATIONS_MAX: Final = 100
NEAREST_MAX: Final = 100
LIMIT: Final = 200
FOUND: Final = 20
FOUND_MAX: Final = 200
QUERY_MAX: Final = 2000
NEAREST: Final = 10
HOURS: Final = 24
HOURS_MAX: Final = 24 * 366

Share = Annotated[float, Field(ge=0, le=1)]
Limit = Annotated[int, Field(ge=1, le=PAGE_MAX)]
Cursor = Annotated[str | None, Field(max_length=CURSOR_MAX)]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=False)


class EntityArgument(_Arguments):
    name: str
    entity_type: str = Field(alias="entityType")
    observations: list[str]

    def entity(self) -> NewEntity:
        return NewEntity(self.name, self.entity_type, tuple(map(NewObservation, self.observations)))


class RelationArgument(_Arguments):
    source: str = Field(alias="from")
    target: str = Field(alias="to")
    relation_type: str = Field(alias="relationType")

    def relation(self) -> NewRelation:
        return NewRelation(self.source, self.target, self.relation_type)


class AdditionArgument(_Arguments):
    entity_name: str = Field(alias="entityName")
    contents: list[str]
    confidence: list[Share] | None = None

    def addition(self, at: int) -> Addition:
        sure = self.confidence
        if sure is None:
            return Addition(self.entity_name, tuple(map(NewObservation, self.contents)))
        if len(sure) != len(self.contents):
            raise invalid(f"observations[{at}].confidence", "must have one number for each of `contents`")
        return Addition(self.entity_name, tuple(map(NewObservation, self.contents, sure)))


class DeletionArgument(_Arguments):
    entity_name: str = Field(alias="entityName")
    observations: list[str]

    def deletion(self) -> Deletion:
        return Deletion(self.entity_name, tuple(self.observations))


class Entities(_Arguments):
    entities: list[EntityArgument]


class Relations(_Arguments):
    relations: list[RelationArgument]


class Additions(_Arguments):
    observations: list[AdditionArgument]

    def additions(self) -> list[Addition]:
        return [one.addition(at) for at, one in enumerate(self.observations)]


class EntityNames(_Arguments):
    entity_names: list[str] = Field(alias="entityNames")


class DetailArguments(EntityNames):
    cursor: Cursor = None


class Deletions(_Arguments):
    deletions: list[DeletionArgument]


class ReadArguments(_Arguments):
    detail: Literal["minimal", "summary", "full"] = Field("summary", alias="detailLevel")
    names: list[str] | None = Field(None, alias="entityNames")
    include_archived: bool = Field(False, alias="includeArchived")
    include_merged: bool = Field(False, alias="includeMerged")
    limit: Limit = LIMIT
    cursor: Cursor = None

    def reading(self) -> Reading:
        return Reading(
            self.detail,
            None if self.names is None else tuple(self.names),
            include_archived=self.include_archived,
            include_merged=self.include_merged,
            limit=self.limit,
            cursor=self.cursor,
        )


class OpenArguments(_Arguments):
    names: list[str]
    cursor: Cursor = None


class SearchArguments(_Arguments):
    query: str
    max_observations: int = Field(5, ge=0, le=OBSERVATIONS_MAX, alias="maxObservations")
    limit: int = Field(FOUND, ge=1, le=FOUND_MAX)
    cursor: Cursor = None


class MeaningArguments(_Arguments):
    query: str
    k: int = Field(NEAREST, ge=1, le=NEAREST_MAX)
    threshold: Share = 0.0


class MergeArguments(_Arguments):
    source: str
    target: str


class NameArgument(_Arguments):
    name: str


class RecentArguments(_Arguments):
    hours: int = Field(HOURS, ge=1, le=HOURS_MAX)
    cursor: Cursor = None


ENTITIES: Final = BodyShape(Entities)
RELATIONS: Final = BodyShape(Relations)
ADDITIONS: Final = BodyShape(Additions)
ENTITY_NAMES: Final = BodyShape(EntityNames)
DELETIONS: Final = BodyShape(Deletions)
READ: Final = BodyShape(ReadArguments)
OPEN: Final = BodyShape(OpenArguments)
DETAILS: Final = BodyShape(DetailArguments)
SEARCH: Final = BodyShape(SearchArguments)
MEANING: Final = BodyShape(MeaningArguments)
MERGE: Final = BodyShape(MergeArguments)
NAME: Final = BodyShape(NameArgument)
RECENT: Final = BodyShape(RecentArguments)
