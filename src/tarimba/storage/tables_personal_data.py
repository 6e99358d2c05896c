"""Tables of what a space knows about words and people: its vocabulary and its known customers."""

from __future__ import annotations

from sqlalchemy import Index, PrimaryKeyConstraint, Table, UniqueConstraint

from tarimba.storage.columns import column as c
from tarimba.storage.schema import metadata, space_fk

# `version` rises with every change of what is below, `scan` with those after which a stored note may be one that
# would be refused today.
space_knowledge = Table(
    "space_knowledge",
    metadata,
    c("space_id", "str", "id"),
    c("version", "int", "number"),
    c("scan", "int", "number"),
    PrimaryKeyConstraint("space_id"),
    space_fk(),
)

vocabulary = Table(
    "vocabulary",
    metadata,
    c("space_id", "str", "id"),
    c("entry_id", "str", "id"),
    c("term", "str", "name"),
    c("folded", "str", "name"),
    c("reason", "str", "code"),
    c("confirmed", "int", "code", default=0),
    c("created_at", "int", "time"),
    c("created_by", "str", "id"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "entry_id"),
    UniqueConstraint("space_id", "folded"),
    space_fk(),
)

# Only MACs under the key of the space. `customer_id` holds together what belongs to one customer, so that the name
# can go with the handle by which somebody asks to be forgotten.
known_customer = Table(
    "known_customer",
    metadata,
    c("space_id", "str", "id"),
    c("mac", "str", "digest", erased_by="forget"),
    c("customer_id", "str", "id"),
    c("kind", "str", "code"),
    c("created_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "mac", "customer_id"),
    Index(None, "space_id", "customer_id"),
    space_fk(),
    sqlite_with_rowid=False,
)
