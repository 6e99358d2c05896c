"""Tables of published skills and shared files: what administrators gave out, version by version."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from tarimba.storage.columns import column as c
from tarimba.storage.schema import metadata, space_fk

# The bytes of published files, once for each content.
blob = Table(
    "blob",
    metadata,
    c("space_id", "str", "id"),
    # SHA-256 in hexadecimal.
    c("hash", "str", "digest"),
    c("size", "int", "number"),
    c(
        "content",
        "bytes",
        "text",
        erased_by="erasure of all skills, and removal of all shared files, that hold it",
    ),
    # How many versions and shared files hold it: at 0 it goes.
    c("refs", "int", "number", default=1),
    PrimaryKeyConstraint("space_id", "hash"),
    space_fk(),
)

# One name at one of the four scopes. `subscription_id` and `source_id` are empty where the scope means all.
skill = Table(
    "skill",
    metadata,
    c("space_id", "str", "id"),
    c("skill_id", "str", "id"),
    c("scope", "str", "code"),
    c("subscription_id", "str", "id"),
    c("source_id", "str", "id"),
    c("name", "str", "name"),
    # The version in force; 0 when it was removed.
    c("version", "int", "number"),
    c("created_at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "skill_id"),
    UniqueConstraint("space_id", "scope", "subscription_id", "source_id", "name"),
    space_fk(),
)

skill_version = Table(
    "skill_version",
    metadata,
    c("space_id", "str", "id"),
    c("skill_id", "str", "id"),
    c("version", "int", "number"),
    c("description", "text", "text", erased_by="erasure of the skill"),
    c("verdict", "str", "code"),
    # JSON: the deviations as the reader named them.
    c("problems", "text", "text", erased_by="erasure of the skill"),
    # JSON: [{path, hash, size}] sorted by path; `content_hash` is the SHA-256 of its canonical form.
    c("files", "text", "text", erased_by="erasure of the skill"),
    c("content_hash", "str", "digest"),
    c("size", "int", "number"),
    c("published_at", "int", "time"),
    c("published_by", "str", "id"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "skill_id", "version"),
    Index(None, "space_id", "content_hash"),
    ForeignKeyConstraint(["space_id", "skill_id"], ["skill.space_id", "skill.skill_id"]),
)

shared_file = Table(
    "shared_file",
    metadata,
    c("space_id", "str", "id"),
    c("file_id", "str", "id"),
    c("scope", "str", "code"),
    c("subscription_id", "str", "id"),
    c("source_id", "str", "id"),
    c("path", "str", "name"),
    c("hash", "str", "digest"),
    c("size", "int", "number"),
    c("version", "int", "number"),
    c("published_at", "int", "time"),
    c("published_by", "str", "id"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "file_id"),
    UniqueConstraint("space_id", "scope", "subscription_id", "source_id", "path"),
    space_fk(),
)
