"""What a request to distil may hold."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from tarimba.distill.model import About
from tarimba.http.reading import CallerId


class DistillBody(BaseModel):
    """Strict: unknown fields are refused, and nothing is converted. One of the two ids says what to distil."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source_id: str | None = None
    conversation_id: CallerId | None = None
    task_id: CallerId | None = None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.conversation_id is None) == (self.task_id is None):
            raise PydanticCustomError("rule", "needs either conversation_id or task_id, and not both")
        return self

    def about(self) -> About:
        if self.conversation_id is not None:
            return About("conversation", self.conversation_id)
        return About("task", self.task_id or "")
