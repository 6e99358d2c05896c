"""The values of the slice: what is proposed, what became of it, what a list of proposals is narrowed to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tarimba.notes.model import Evidence
from tarimba.receipts.model import Recorded

Act = Literal["create", "edit", "retire", "open"]
ProposalOrigin = Literal["distilled", "agent"]
ProposalStatus = Literal["drafting", "pending", "approved", "rejected", "failed"]

Problem = Literal["no_turns", "unconfirmed_link", "nothing_to_propose", "personal_data", "model_unavailable"]
"""Why a distillation came to nothing."""

PROBLEMS: Final = ("no_turns", "unconfirmed_link", "nothing_to_propose", "personal_data", "model_unavailable")
STATUSES: Final = ("drafting", "pending", "approved", "rejected", "failed")
REASON_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class Text:
    """What a note would say. All empty while a proposal is being drafted; `valid_until` is in microseconds."""

    kind: str = ""
    title: str = ""
    body: str = ""
    tags: tuple[str, ...] = ()
    visibility: str = "source"
    valid_until: int | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What waits for a person, or waited; times are in microseconds.

    `edits_note_id` is the version that the act is about, `note_id` the one that the decision made or took out.
    `created_by` asked for it: an agent, a person or an admin key. `detectors` names what the text was checked with.
    """

    proposal_id: str
    source_id: str
    act: str
    edits_note_id: str | None
    text: Text
    evidence: Evidence | None
    origin: str
    status: str
    note_id: str | None
    created_at: int
    created_by: str
    decided_at: int | None
    decided_by: str | None
    reason: str | None
    problem: str | None
    problem_kinds: tuple[str, ...]
    similar_note_ids: tuple[str, ...]
    edited: bool
    detectors: str
    ordinal: int
    scrubbed_at: int | None


@dataclass(frozen=True, slots=True)
class ProposalFilter:
    """What a list is narrowed to; None is everything."""

    status: str | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class ProposalsRead:
    """The answer of a read: proposals in order, the receipt, and the cursor of the next page."""

    proposals: tuple[Proposal, ...]
    receipt: Recorded
    next_cursor: str | None = None
