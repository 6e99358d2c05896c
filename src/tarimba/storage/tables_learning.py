"""Tables of what waits for a person: proposals, skill drafts, and the task records that drafts are made from."""

from __future__ import annotations

from sqlalchemy import Index, PrimaryKeyConstraint, Table

from tarimba.storage.columns import column as c
from tarimba.storage.schema import agent_fk, metadata, space_fk

proposal = Table(
    "proposal",
    metadata,
    c("space_id", "str", "id"),
    c("proposal_id", "str", "id"),
    c("source_id", "str", "id"),
    c("act", "str", "code"),
    c("edits_note_id", "str", "id", nullable=True),
    c("kind", "str", "code"),
    c("title", "text", "text", erased_by="erase agent"),
    c("body", "text", "text", erased_by="erase agent"),
    c("tags", "text", "text", erased_by="erase agent"),
    c("visibility", "str", "code"),
    c("evidence", "text", "caller_id", erased_by="erase agent", nullable=True),
    c("valid_until", "int", "time", nullable=True),
    c("origin", "str", "code"),
    c("status", "str", "code"),
    c("note_id", "str", "id", nullable=True),
    c("created_at", "int", "time"),
    c("created_by", "str", "id"),
    c("decided_at", "int", "time", nullable=True),
    c("decided_by", "str", "id", nullable=True),
    c("reason", "text", "text", erased_by="erase agent", nullable=True),
    c("problem", "str", "code", nullable=True),
    c("problem_kinds", "text", "code", nullable=True),
    c("similar_note_ids", "text", "id", nullable=True),
    c("edited", "int", "code", default=0),
    # Of a distillation: finds the one that is open for a conversation or task (`SpaceKey.commit` of its id).
    c("about_mac", "str", "digest", nullable=True),
    # What the text was checked with, as for notes.
    c("detectors", "str", "code"),
    # When the text of a rejected or failed proposal was deleted.
    c("scrubbed_at", "int", "time", nullable=True),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "proposal_id"),
    Index(None, "space_id", "status", "ordinal"),
    Index(None, "space_id", "source_id", "ordinal"),
    Index(None, "space_id", "about_mac"),
    # Which rejected texts are due to be deleted.
    Index(None, "space_id", "status", "scrubbed_at", "decided_at"),
    agent_fk(),
)

# One finished task: what was done in which order, and whether it went well. No text.
task_record = Table(
    "task_record",
    metadata,
    c("space_id", "str", "id"),
    c("record_id", "str", "id"),
    c("source_id", "str", "id"),
    c("task_mac", "str", "digest"),
    c("signature", "str", "digest"),
    # JSON: the operations in order, repeats folded, as the masks left them.
    c("operations", "text", "text", erased_by="erase agent"),
    c("succeeded", "int", "code"),
    c("duration_ms", "int", "number"),
    c("at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "record_id"),
    Index(None, "space_id", "source_id", "signature"),
    agent_fk(),
)

# How far the listener of a space has read, when a round was last made, and how many tasks were recorded since.
evolution_mark = Table(
    "evolution_mark",
    metadata,
    c("space_id", "str", "id"),
    c("read_until", "int", "number"),
    c("round_at", "int", "time"),
    c("tasks_since", "int", "number"),
    PrimaryKeyConstraint("space_id"),
    space_fk(),
)

skill_draft = Table(
    "skill_draft",
    metadata,
    c("space_id", "str", "id"),
    c("draft_id", "str", "id"),
    c("source_id", "str", "id"),
    c("signature", "str", "digest"),
    c("name", "str", "name"),
    c("text", "text", "text", erased_by="erase agent"),
    c("writer", "str", "code"),
    c("state", "str", "code"),
    # Why it was quarantined or refused: a code, never the match.
    c("problem", "str", "code", nullable=True),
    c("seen", "int", "number"),
    c("succeeded", "int", "number"),
    c("created_at", "int", "time"),
    c("decided_at", "int", "time", nullable=True),
    c("decided_by", "str", "id", nullable=True),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "draft_id"),
    Index(None, "space_id", "source_id", "signature"),
    Index(None, "space_id", "state", "ordinal"),
    agent_fk(),
)
