"""Tables of the notes and of what their caps count."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from tarimba.storage.columns import column as c
from tarimba.storage.schema import agent_fk, metadata, space_fk

note_chain = Table(
    "note_chain",
    metadata,
    c("space_id", "str", "id"),
    c("chain_id", "str", "id"),
    c("source_id", "str", "id"),
    c("age", "int", "number"),
    # Who reads the head: the agent's own pool, its vendor's or the space's (0).
    c("pool", "int", "number"),
    c("head_note_id", "str", "id"),
    c("head_version", "int", "number"),
    c("status", "str", "code"),
    c("valid_until", "int", "time", nullable=True),
    PrimaryKeyConstraint("space_id", "chain_id"),
    UniqueConstraint("space_id", "age"),
    Index(None, "space_id", "pool", "status"),
    Index(None, "space_id", "source_id", "status"),
    agent_fk(),
)

note_version = Table(
    "note_version",
    metadata,
    c("space_id", "str", "id"),
    c("note_id", "str", "id"),
    c("chain_id", "str", "id"),
    c("version", "int", "number"),
    c("supersedes_note_id", "str", "id", nullable=True),
    c("kind", "str", "code"),
    c("title", "text", "text", erased_by="erase agent"),
    c("body", "text", "text", erased_by="erase agent"),
    c("tags", "text", "text", erased_by="erase agent"),
    c("visibility", "str", "code"),
    c("evidence", "text", "caller_id", erased_by="erase agent", nullable=True),
    c("origin", "str", "code"),
    c("valid_until", "int", "time", nullable=True),
    c("created_at", "int", "time"),
    c("created_by", "str", "id"),
    c("seq_from", "int", "number"),
    c("seq_to", "int", "number", nullable=True),
    c("salt", "str", "digest"),
    c("content_hash", "str", "digest"),
    # Derived, each with the version of what derived it.
    c("line", "text", "text", erased_by="erase agent"),
    c("line_tokens", "int", "number"),
    c("renderer", "str", "code"),
    c("tokenizer", "str", "code"),
    c("terms", "bytes", "text", erased_by="erase agent"),
    c("words", "str", "code"),
    c("detectors", "str", "code"),
    PrimaryKeyConstraint("space_id", "note_id"),
    UniqueConstraint("space_id", "chain_id", "version"),
    ForeignKeyConstraint(["space_id", "chain_id"], ["note_chain.space_id", "note_chain.chain_id"]),
)

# The search index: a row for each word of each active head. `space_no` stands for `space_id` because this is
# the one table with a row per word: 36 characters in each of them would triple its size.
note_term = Table(
    "note_term",
    metadata,
    c("space_no", "int", "number"),
    c("term", "int", "text", erased_by="erase agent"),
    c("pool", "int", "number"),
    c("age", "int", "number"),
    c("weight", "int", "number"),
    c("version", "int", "number"),
    PrimaryKeyConstraint("space_no", "term", "pool", "age"),
    sqlite_with_rowid=False,
)

note_outcome = Table(
    "note_outcome",
    metadata,
    c("space_id", "str", "id"),
    c("note_id", "str", "id"),
    c("helped", "int", "number", default=0),
    c("not_helped", "int", "number", default=0),
    PrimaryKeyConstraint("space_id", "note_id"),
    ForeignKeyConstraint(["space_id", "note_id"], ["note_version.space_id", "note_version.note_id"]),
)

# What caps count: one row for each write and each refusal of the rolling last hour.
agent_event = Table(
    "agent_event",
    metadata,
    c("space_id", "str", "id"),
    c("source_id", "str", "id"),
    c("kind", "str", "code"),
    c("ordinal", "int", "number"),
    c("at", "int", "time"),
    PrimaryKeyConstraint("space_id", "source_id", "kind", "ordinal"),
    agent_fk(),
)

refusal_count = Table(
    "refusal_count",
    metadata,
    c("space_id", "str", "id"),
    c("source_id", "str", "id"),
    c("kind", "str", "code"),
    c("day", "int", "time"),
    c("count", "int", "number"),
    PrimaryKeyConstraint("space_id", "source_id", "kind", "day"),
    agent_fk(),
)

id_surrogate = Table(
    "id_surrogate",
    metadata,
    c("space_id", "str", "id"),
    c("mac", "str", "digest", erased_by="forget"),
    c("surrogate", "str", "id"),
    PrimaryKeyConstraint("space_id", "mac"),
    UniqueConstraint("space_id", "surrogate"),
    space_fk(),
)
