"""Tables of workspaces: which there are, their projects, versions of members' memory files, secrets."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from tarimba.storage.columns import column as c
from tarimba.storage.schema import agent_fk, metadata, space_fk

_ERASED = "erasure of the member"


def _workspace_fk() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["space_id", "workspace_id"], ["workspace.space_id", "workspace.workspace_id"]
    )


workspace = Table(
    "workspace",
    metadata,
    c("space_id", "str", "id"),
    c("workspace_id", "str", "id", unique=True),
    c("subscription_id", "str", "id"),
    c("source_id", "str", "id"),
    c("person_id", "str", "id"),
    # Digest of what was mounted and configured when it was last provisioned: another one asks for a restart.
    c("provisioned", "str", "digest"),
    c("provisioned_at", "int", "time"),
    c("created_at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "workspace_id"),
    UniqueConstraint("space_id", "subscription_id", "source_id", "person_id"),
    Index(None, "space_id", "person_id"),
    space_fk(),
)

workspace_project = Table(
    "workspace_project",
    metadata,
    c("space_id", "str", "id"),
    c("workspace_id", "str", "id"),
    c("project", "str", "name"),
    c("name", "str", "text", erased_by=_ERASED),
    c("created_at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "workspace_id", "project"),
    _workspace_fk(),
)

# Who an agent is, as administrators wrote it: the same for all members.
persona = Table(
    "persona",
    metadata,
    c("space_id", "str", "id"),
    c("source_id", "str", "id"),
    # AGENT.md or SOUL.md.
    c("name", "str", "code"),
    c("content", "text", "name"),
    c("hash", "str", "digest"),
    c("changed_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "source_id", "name"),
    space_fk(),
    agent_fk(),
)

# What MEMORY_CUSTOM.md held: the last versions of it, newest kept.
memory_version = Table(
    "memory_version",
    metadata,
    c("space_id", "str", "id"),
    c("workspace_id", "str", "id"),
    # Empty for the main workspace.
    c("project", "str", "name"),
    c("version", "int", "number"),
    c("content", "text", "text", erased_by=_ERASED),
    c("hash", "str", "digest"),
    # Of the file in bytes.
    c("size", "int", "number"),
    # server: through us; disk: found there, written by somebody else.
    c("origin", "str", "code"),
    c("created_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "workspace_id", "project", "version"),
    _workspace_fk(),
)

# A credential for agents, wrapped under the master key. Empty ids mean all; with a person it is that member's own.
secret = Table(
    "secret",
    metadata,
    c("space_id", "str", "id"),
    c("secret_id", "str", "id"),
    c("subscription_id", "str", "id"),
    c("source_id", "str", "id"),
    c("person_id", "str", "id"),
    c("name", "str", "code"),
    c("value", "bytes", "secret", erased_by=_ERASED),
    c("created_at", "int", "time"),
    c("changed_at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "secret_id"),
    UniqueConstraint("space_id", "subscription_id", "source_id", "person_id", "name"),
    space_fk(),
)
