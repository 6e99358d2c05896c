"""A question to the log as it comes over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tarimba.clock import from_datetime
from tarimba.errors import invalid
from tarimba.http.reading import CallerId, Moment
from tarimba.receipts.search import Question

_Id = Annotated[str, Field(pattern="^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]


class SearchFields(BaseModel):
    """Every part that is given must hold."""

    model_config = ConfigDict(extra="forbid")

    conversation_id: CallerId | None = None
    task_id: CallerId | None = None
    source_id: _Id | None = None
    note_id: _Id | None = None
    proposal_id: _Id | None = None
    kind: Literal["read", "admin"] | None = None
    action: Annotated[str, Field(max_length=64)] | None = None
    actor: Annotated[str, Field(pattern="^[A-Za-z0-9_.:-]{1,64}$")] | None = None
    from_: Moment | None = Field(None, alias="from")
    to: Moment | None = None

    def question(self) -> Question:
        """The same for the use cases. Raises 422."""
        return Question(
            conversation_id=self.conversation_id,
            task_id=self.task_id,
            source_id=self.source_id,
            note_id=self.note_id,
            proposal_id=self.proposal_id,
            kind=self.kind,
            action=self.action,
            actor=self.actor,
            start=_microseconds("from", self.from_),
            end=_microseconds("to", self.to),
        )


def _microseconds(field: str, moment: datetime | None) -> int | None:
    """No receipt is older than 1970, so an earlier moment means the same as that."""
    try:
        return None if moment is None else max(0, from_datetime(moment))
    except OverflowError:
        raise invalid(field, "must lie within the calendar in UTC too") from None
