"""What requests about notes may hold. Lengths of texts are rules of the space and are checked with them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

from tarimba.http.reading import CallerId
from tarimba.notes.deciding import DECISIONS_MAX, Decision
from tarimba.notes.model import (
    ID_MAX,
    Changes,
    Draft,
    Evidence,
    Filter,
    Kind,
    Outcome,
    Question,
    Status,
    Visibility,
)
from tarimba.notes.tools import QUERY_MAX, TAG_PATTERN, TAGS_MAX
from tarimba.notes.wire import moment
from tarimba.proposals.model import ProposalFilter, ProposalStatus


def _is_moment(written: str) -> str:
    try:
        moment(written)
    except ValueError:
        raise PydanticCustomError("rule", "must be a moment with time zone (RFC 3339)") from None
    return written


Moment = Annotated[str, AfterValidator(_is_moment), Field(json_schema_extra={"format": "date-time"})]
Tag = Annotated[str, StringConstraints(pattern=TAG_PATTERN)]


class Request(BaseModel):
    """Strict: unknown fields are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class EvidenceBody(Request):
    conversation_id: CallerId | None = None
    task_id: CallerId | None = None

    def evidence(self) -> Evidence:
        return Evidence(self.conversation_id, self.task_id)


class CreateBody(Request):
    kind: Kind
    title: str
    body: str
    tags: list[str] | None = Field(None, max_length=64)
    evidence: EvidenceBody | None = None
    visibility: Visibility | None = None
    valid_until: Moment | None = None
    source_id: str | None = None

    def draft(self) -> Draft:
        return Draft(
            kind=self.kind,
            title=self.title,
            body=self.body,
            tags=tuple(self.tags or ()),
            visibility=self.visibility or "source",
            evidence=self.evidence.evidence() if self.evidence else None,
            valid_until=moment(self.valid_until) if self.valid_until else None,
        )


class EditBody(Request):
    kind: Kind | None = None
    title: str | None = None
    body: str | None = None
    tags: list[str] | None = Field(None, max_length=64)
    visibility: Visibility | None = None
    valid_until: Moment | None = None

    def changes(self, given: frozenset[str]) -> Changes:
        """The edit; `given` tells an absent `valid_until` from one that is null."""
        return Changes(
            kind=self.kind,
            title=self.title,
            body=self.body,
            tags=None if self.tags is None else tuple(self.tags),
            visibility=self.visibility,
            valid_until=moment(self.valid_until) if self.valid_until else None,
            clears_end="valid_until" in given and self.valid_until is None,
        )


class RejectBody(Request):
    reason: str | None = None


class DecisionBody(Request):
    """One of many: `changes` to the text that is approved, or a `reason` to reject it."""

    proposal_id: str = Field(max_length=ID_MAX)
    decision: Literal["approve", "reject"]
    changes: EditBody | None = None
    reason: str | None = None

    def read(self) -> Decision:
        wanted = self.changes
        changes = wanted.changes(frozenset(wanted.model_fields_set)) if wanted else Changes()
        return Decision(self.proposal_id, self.decision == "approve", changes, self.reason)


class DecisionsBody(Request):
    decisions: list[DecisionBody] = Field(min_length=1, max_length=DECISIONS_MAX)


class SearchBody(Request):
    query: str = Field(min_length=1, max_length=QUERY_MAX)
    tags: list[Tag] | None = Field(None, max_length=TAGS_MAX)
    limit: int = Field(5, ge=1, le=20)
    conversation_id: CallerId | None = None
    task_id: CallerId | None = None

    def question(self) -> Question:
        about = Evidence(self.conversation_id, self.task_id)
        return Question(self.query, tuple(self.tags or ()), self.limit, about)


class OutcomeBody(Request):
    helped: bool
    conversation_id: CallerId | None = None
    task_id: CallerId | None = None

    def outcome(self) -> Outcome:
        return Outcome(self.helped, Evidence(self.conversation_id, self.task_id))


class ProposalsQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    status: ProposalStatus | None = None
    source_id: str | None = Field(None, max_length=ID_MAX)
    cursor: str | None = Field(None, max_length=256)
    limit: int = Field(20, ge=1, le=100)

    def filter(self) -> ProposalFilter:
        return ProposalFilter(self.status, self.source_id)


class ListQuery(BaseModel):
    """Query strings hold text only, so whole numbers are read from it."""

    model_config = ConfigDict(extra="forbid")

    status: Status | None = None
    visibility: Visibility | None = None
    kind: Kind | None = None
    tag: Tag | None = None
    source_id: str | None = Field(None, max_length=ID_MAX)
    cursor: str | None = Field(None, max_length=256)
    limit: int = Field(20, ge=1, le=100)

    def filter(self) -> Filter:
        return Filter(self.status, self.visibility, self.kind, self.tag, self.source_id)
