"""What the tools take. Lengths of texts are rules of the space and are checked where notes are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tarimba.http.reading import BodyShape
from tarimba.notes.model import Draft, Kind, Question

Tags = Annotated[list[str] | None, Field(max_length=64)]
M = TypeVar("M", bound=BaseModel)


class SearchArguments(BaseModel):
    """Arguments of `search_agent_memory`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: str = Field(min_length=1, max_length=500)
    tags: list[str] | None = Field(None, max_length=8)

    def question(self) -> Question:
        return Question(self.query, tuple(self.tags or ()))


class RememberArguments(BaseModel):
    """Arguments of `remember`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Kind
    title: str
    body: str
    tags: Tags = None

    def draft(self) -> Draft:
        return Draft(kind=self.kind, title=self.title, body=self.body, tags=tuple(self.tags or ()))


SEARCH: Final = BodyShape(SearchArguments)
REMEMBER: Final = BodyShape(RememberArguments)


def read(shape: BodyShape[M], arguments: Mapping[str, Any]) -> M:
    """The arguments as their model. Raises `invalid_input`, naming argument and rule."""
    # In escapes, so that half a surrogate pair reaches the reader, which refuses it by its field.
    return shape.read(json.dumps(arguments).encode())
