"""One proposal of an export document: its form, and what its state must go with. No database."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from tarimba.erasure.rows import Creator, EvidenceRow, Id, Moment, refusal_of
from tarimba.errors import invalid
from tarimba.notes.model import Evidence, Kind, Visibility
from tarimba.notes.service import moment
from tarimba.personal_data import model as personal_data
from tarimba.proposals.model import Act, Problem, Proposal, ProposalOrigin, ProposalStatus, Text

_LISTED_MAX: Final = 100
_DECIDED: Final = ("approved", "rejected")
# What a proposal holds in codes comes from closed lists: a code of the document's own could be anybody's name.
_FOUND: Final = frozenset(personal_data.KINDS)


def _found(kind: str) -> str:
    if kind not in _FOUND:
        raise ValueError("no kind of personal data")
    return kind


Found = Annotated[str, AfterValidator(_found)]


class _ProposalRow(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    proposal_id: Id
    source_id: Id
    act: Act
    edits_note_id: Id | None
    kind: Kind | Literal[""]
    title: str
    body: str
    tags: list[str]
    visibility: Visibility
    valid_until: Moment | None
    evidence: EvidenceRow | None
    origin: ProposalOrigin
    status: ProposalStatus
    note_id: Id | None
    created_at: Moment
    created_by: Creator
    decided_at: Moment | None
    decided_by: Creator | None
    reason: str | None
    problem: Problem | None
    problem_kinds: Annotated[list[Found], Field(max_length=_LISTED_MAX)]
    similar_note_ids: Annotated[list[Id], Field(max_length=_LISTED_MAX)]
    edited: bool


def read_proposal(row: Any, source_id: str | None) -> Proposal:
    """The row as a proposal, of the agent `source_id` when given. Raises 422 naming fields, never quoting them."""
    try:
        read = _ProposalRow.model_validate(row)
    except ValidationError as error:
        raise refusal_of(error, "a proposal") from None
    _check(read)
    return Proposal(
        proposal_id=read.proposal_id,
        source_id=source_id or read.source_id,
        act=read.act,
        edits_note_id=read.edits_note_id,
        text=Text(
            read.kind, read.title, read.body, tuple(read.tags), read.visibility, _moment(read.valid_until)
        ),
        evidence=Evidence(**read.evidence.model_dump()) if read.evidence else None,
        origin=read.origin,
        status=read.status,
        note_id=read.note_id,
        created_at=moment(read.created_at),
        created_by=read.created_by,
        decided_at=_moment(read.decided_at),
        decided_by=read.decided_by,
        reason=read.reason,
        problem=read.problem,
        problem_kinds=tuple(read.problem_kinds),
        similar_note_ids=tuple(read.similar_note_ids),
        edited=read.edited,
        detectors="",
        ordinal=0,
        scrubbed_at=None,
    )


def is_wordless(one: Proposal) -> bool:
    """Whether it has no text: nothing was written yet, nothing was kept, or it was deleted after its rejection."""
    text = one.text
    return not (text.title or text.body or text.tags)


def _check(read: _ProposalRow) -> None:
    """Raises 422 for a state that no proposal can be in."""
    is_wordless = not (read.title or read.body or read.tags)
    if is_wordless and read.status not in ("drafting", "failed", "rejected"):
        raise invalid("title", "is required of a proposal that is pending or approved")
    if not is_wordless and read.kind == "":
        raise invalid("kind", "is required where there is a text")
    if read.status == "drafting" and (read.evidence is None or not is_wordless):
        raise invalid("evidence", "is all that a proposal has while it is being written")
    if {read.decided_at is not None, read.decided_by is not None} != {read.status in _DECIDED}:
        raise invalid("decided_at", "goes with `decided_by`, and with a proposal that was decided")
    if (read.status == "failed") != (read.problem is not None):
        raise invalid("problem", "goes with a proposal that failed")
    if read.reason is not None and read.status != "rejected":
        raise invalid("reason", "goes with a proposal that was rejected")


def _moment(written: str | None) -> int | None:
    return None if written is None else moment(written)
