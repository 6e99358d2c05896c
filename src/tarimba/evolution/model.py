"""Values of the slice: what was done in a task, what tasks have in common, and the draft that is made from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tarimba.receipts.model import Recorded

State = Literal["candidate", "quarantined", "pending", "refused", "applied"]
STATES: Final = ("candidate", "quarantined", "pending", "refused", "applied")
Problem = Literal[
    "invalid_skill", "hidden_text", "secret", "speaks_to_agents", "not_as_done", "personal_data"
]
"""Why a draft is in quarantine: a code, never what was found."""

DraftWriter = Literal["model", "operations"]
"""Who wrote it: a model behind `TARIMBA_LLM_URL`, or our own rules from the operations."""


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """What one finished task came to. `operations` are in order with repeats folded, `duration_ms` milliseconds."""

    source_id: str
    task_mac: str
    signature: str
    operations: tuple[str, ...]
    succeeded: bool
    duration_ms: int


@dataclass(frozen=True, slots=True)
class Habit:
    """What tasks of one agent have in common, how many there were and how many of them went well."""

    source_id: str
    signature: str
    seen: int
    succeeded: int


@dataclass(frozen=True, slots=True)
class Skill:
    """What a SKILL.md says."""

    name: str
    description: str
    body: str


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft; times are in microseconds. `name` and `text` are empty while it is a candidate and in quarantine.

    `operations` are what the tasks did; empty in quarantine, where they may be what was found.
    """

    draft_id: str
    source_id: str
    signature: str
    name: str
    text: str
    writer: str
    state: str
    problem: str | None
    seen: int
    succeeded: int
    operations: tuple[str, ...]
    created_at: int
    decided_at: int | None
    decided_by: str | None
    ordinal: int


@dataclass(frozen=True, slots=True)
class DraftFilter:
    """What a list is narrowed to; None is everything."""

    state: str | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class DraftsPage:
    """Drafts in order, and the cursor of the next page."""

    drafts: tuple[Draft, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class RoundWish:
    """What a round is to look at: one agent or all; `again` also what was refused or is in quarantine."""

    source_id: str | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """The candidates that a round made; `has_more` says that another round would make more."""

    draft_ids: tuple[str, ...]
    has_more: bool
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Decided:
    """A draft as a decision left it."""

    draft: Draft
    receipt: Recorded
