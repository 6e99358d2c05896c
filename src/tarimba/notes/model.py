"""The values of the slice: what a caller asks to keep, what is ready to be stored, what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from tarimba.personal_data.model import Knowledge
from tarimba.receipts.model import Recorded

Kind = Literal["procedure", "tool_note", "process_note", "pitfall"]
Visibility = Literal["source", "vendor", "space"]
Origin = Literal["agent", "human", "distilled"]
Status = Literal["active", "retired"]

KINDS: Final = ("procedure", "tool_note", "process_note", "pitfall")
VISIBILITIES: Final = ("source", "vendor", "space")
ORIGINS: Final = ("agent", "human", "distilled")
EVIDENCE: Final = ("conversation_id", "task_id")
ID_MAX: Final = 512


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a note came from: ids of the caller's own, or their surrogates. Never text."""

    conversation_id: str | None = None
    task_id: str | None = None

    def as_json(self) -> dict[str, str]:
        ids = {"conversation_id": self.conversation_id, "task_id": self.task_id}
        return {name: value for name, value in ids.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Draft:
    """What a caller asks to keep. `valid_until` is in microseconds."""

    kind: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    visibility: str = "source"
    evidence: Evidence | None = None
    valid_until: int | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A draft that passed the gate and the detectors, with everything derived from its text.

    `terms` maps term ids to weights; each derived value is stored with the version of what derived it.
    `space` is what the space knew when the text was checked; `flagged` names the evidence ids that are themselves
    personal data and are stored as surrogates.
    """

    draft: Draft
    line: str
    line_tokens: int
    renderer: str
    tokenizer: str
    terms: Mapping[int, int]
    words: str
    detectors: str
    space: Knowledge
    flagged: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Owner:
    """The agent that owns notes, and the pools that its notes can be in (0 is the whole space)."""

    source_id: str
    agent_pool: int
    vendor_pool: int

    @property
    def pools(self) -> tuple[int, ...]:
        """The pools that the agent reads."""
        return 0, self.vendor_pool, self.agent_pool

    def pool(self, visibility: str) -> int:
        """The readers of a note of this agent with that visibility."""
        return {"source": self.agent_pool, "vendor": self.vendor_pool, "space": 0}[visibility]


@dataclass(frozen=True, slots=True)
class Note:
    """One version of a note, field by field as on the wire; times are in microseconds."""

    note_id: str
    source_id: str
    kind: str
    title: str
    body: str
    tags: tuple[str, ...]
    visibility: str
    evidence: Evidence | None
    origin: str
    version: int
    supersedes_note_id: str | None
    status: str
    valid_until: int | None
    created_at: int
    created_by: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What an edit changes: None leaves a field as it is; `clears_end` takes the end away."""

    kind: str | None = None
    title: str | None = None
    body: str | None = None
    tags: tuple[str, ...] | None = None
    visibility: str | None = None
    valid_until: int | None = None
    clears_end: bool = False

    def applied_to(self, note: Note | Draft) -> Draft:
        """The note's text with these changes, not yet checked."""
        end = note.valid_until if self.valid_until is None else self.valid_until
        return Draft(
            kind=note.kind if self.kind is None else self.kind,
            title=note.title if self.title is None else self.title,
            body=note.body if self.body is None else self.body,
            tags=note.tags if self.tags is None else self.tags,
            visibility=note.visibility if self.visibility is None else self.visibility,
            evidence=note.evidence,
            valid_until=None if self.clears_end else end,
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """A version with its place: its chain, the chain's head and state, its owner, and what binds its text."""

    note: Note
    chain_id: str
    age: int
    pool: int
    chain_status: str
    head_note_id: str
    owner: Owner
    salt: str
    content_hash: str

    @property
    def is_active_head(self) -> bool:
        return self.chain_status == "active" and self.note.note_id == self.head_note_id


@dataclass(frozen=True, slots=True)
class Caution:
    """Something about a note that was stored all the same."""

    code: str
    field: str
    detail: str


@dataclass(frozen=True, slots=True)
class Written:
    """The answer of a write: the note as it is now, its warnings, the receipt and the HTTP status.

    What waits for a person has a `proposal_id`, and no note but the one that it asks to open.
    """

    note: Note | None
    receipt: Recorded | None
    status: int
    warnings: tuple[Caution, ...] = ()
    proposal_id: str | None = None

    @property
    def kept(self) -> Note:
        """The note of a write that never waits for a person, or did not."""
        assert self.note is not None
        return self.note


@dataclass(frozen=True, slots=True)
class Read:
    """The answer of a read: notes in order, the receipt, and the cursor of the next page."""

    notes: tuple[Note, ...]
    receipt: Recorded
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """What a list is narrowed to; None is everything."""

    status: str | None = None
    visibility: str | None = None
    kind: str | None = None
    tag: str | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A search: its words, the tags of which a note must share one, and what the receipt is found by."""

    query: str
    tags: tuple[str, ...] = ()
    limit: int = 5
    about: Evidence = field(default_factory=Evidence)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a version helped, and in which conversation or task."""

    helped: bool
    about: Evidence = field(default_factory=Evidence)
