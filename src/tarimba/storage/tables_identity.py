"""Tables of who asks: spaces, vendors, agents, keys, people, subscriptions."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from tarimba.storage.columns import column as c
from tarimba.storage.schema import agent_fk, metadata, space_fk

installation = Table(
    "installation",
    metadata,
    c("name", "str", "code", primary_key=True),
    c("value", "str", "code"),
)

space = Table(
    "space",
    metadata,
    c("space_id", "str", "id", primary_key=True),
    c("space_no", "int", "number", unique=True),
    c("slug", "str", "name", unique=True),
    c("name", "str", "name"),
    c("language", "str", "code"),
    c("environment", "str", "code"),
    c("hmac_key", "bytes", "secret"),
    c("created_at", "int", "time"),
)

# The one row that every receipted transaction updates first: the lock of the space, the position of its
# log, its clock and the generation that makes every cache valid.
space_head = Table(
    "space_head",
    metadata,
    c("space_id", "str", "id", primary_key=True),
    c("generation", "int", "number", default=0),
    c("size", "int", "number", default=0),
    c("counter", "int", "number", default=0),
    c("last_at", "int", "time", default=0),
    c("frontier", "bytes", "digest"),
    c("seal", "bytes", "digest"),
    c("indexed_size", "int", "number", default=0),
    space_fk(),
)

space_setting = Table(
    "space_setting",
    metadata,
    c("space_id", "str", "id"),
    c("name", "str", "code"),
    c("value", "text", "code"),
    PrimaryKeyConstraint("space_id", "name"),
    space_fk(),
)

vendor = Table(
    "vendor",
    metadata,
    c("space_id", "str", "id"),
    c("vendor_id", "str", "id"),
    c("slug", "str", "name"),
    c("name", "str", "name"),
    c("pool", "int", "number"),
    c("created_at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "vendor_id"),
    UniqueConstraint("space_id", "slug"),
    space_fk(),
)

agent = Table(
    "agent",
    metadata,
    c("space_id", "str", "id"),
    c("source_id", "str", "id"),
    c("vendor_id", "str", "id"),
    c("slug", "str", "name"),
    c("name", "str", "name"),
    c("harness", "str", "code"),
    c("task_section", "int", "code", default=0),
    c("pool", "int", "number"),
    c("created_at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "source_id"),
    UniqueConstraint("space_id", "slug"),
    ForeignKeyConstraint(["space_id", "vendor_id"], ["vendor.space_id", "vendor.vendor_id"]),
)

agent_key = Table(
    "agent_key",
    metadata,
    c("space_id", "str", "id"),
    c("key_id", "str", "id", unique=True),
    c("source_id", "str", "id", nullable=True),
    c("name", "str", "name"),
    c("scopes", "str", "code"),
    c("digest", "str", "digest"),
    c("created_at", "int", "time"),
    c("expires_at", "int", "time", nullable=True),
    c("revoked_at", "int", "time", nullable=True),
    c("last_used_at", "int", "time", nullable=True),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "key_id"),
    Index(None, "space_id", "source_id"),
    space_fk(),
    agent_fk(),
)

person = Table(
    "person",
    metadata,
    c("space_id", "str", "id"),
    c("person_id", "str", "id"),
    c("slug", "str", "name"),
    c("email", "str", "name"),
    c("name", "str", "name"),
    c("language", "str", "code"),
    c("disabled_at", "int", "time", nullable=True),
    c("created_at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "person_id"),
    UniqueConstraint("space_id", "slug"),
    UniqueConstraint("space_id", "email"),
    space_fk(),
)

person_role = Table(
    "person_role",
    metadata,
    c("space_id", "str", "id"),
    c("person_id", "str", "id"),
    # `manager@<subscription>` keeps the subscription's slug in the role itself.
    c("role", "str", "code"),
    PrimaryKeyConstraint("space_id", "person_id", "role"),
    ForeignKeyConstraint(["space_id", "person_id"], ["person.space_id", "person.person_id"]),
)

person_token = Table(
    "person_token",
    metadata,
    c("space_id", "str", "id"),
    c("token_id", "str", "id", unique=True),
    c("person_id", "str", "id"),
    c("digest", "str", "digest"),
    c("created_at", "int", "time"),
    c("expires_at", "int", "time", nullable=True),
    c("revoked_at", "int", "time", nullable=True),
    c("last_used_at", "int", "time", nullable=True),
    PrimaryKeyConstraint("space_id", "token_id"),
    ForeignKeyConstraint(["space_id", "person_id"], ["person.space_id", "person.person_id"]),
)

subscription = Table(
    "subscription",
    metadata,
    c("space_id", "str", "id"),
    c("subscription_id", "str", "id"),
    c("slug", "str", "name"),
    c("name", "str", "name"),
    c("created_at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "subscription_id"),
    UniqueConstraint("space_id", "slug"),
    space_fk(),
)

subscription_member = Table(
    "subscription_member",
    metadata,
    c("space_id", "str", "id"),
    c("subscription_id", "str", "id"),
    c("person_id", "str", "id"),
    # In every workspace token of this membership: raising it ends those that there are.
    c("epoch", "int", "number", default=0, server_default="0"),
    PrimaryKeyConstraint("space_id", "subscription_id", "person_id"),
    ForeignKeyConstraint(
        ["space_id", "subscription_id"], ["subscription.space_id", "subscription.subscription_id"]
    ),
    ForeignKeyConstraint(["space_id", "person_id"], ["person.space_id", "person.person_id"]),
)
