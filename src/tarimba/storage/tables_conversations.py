"""Tables of conversations: masked turns, and who the customer is, as MACs only.

Who is one customer is said by agents, so it holds within their vendor: each vendor has profiles, handles and links of
its own, which are brought together only in reading, where the space opens customers across vendors.
"""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from tarimba.storage.columns import column as c
from tarimba.storage.schema import agent_fk, metadata, space_fk

# Somebody that agents talk to: nothing but an id that handles point to.
profile = Table(
    "profile",
    metadata,
    c("space_id", "str", "id"),
    c("profile_id", "str", "id"),
    c("created_at", "int", "time"),
    c("last_at", "int", "time"),
    # Who this turned out to be: a task moves what is left of it there, then deletes it.
    c("merged_into", "str", "id", nullable=True),
    PrimaryKeyConstraint("space_id", "profile_id"),
    Index(None, "space_id", "last_at"),
    Index(None, "space_id", "merged_into"),
    space_fk(),
)

handle = Table(
    "handle",
    metadata,
    c("space_id", "str", "id"),
    c("mac", "str", "digest", erased_by="forget"),
    c("vendor_id", "str", "id"),
    c("profile_id", "str", "id"),
    c("type", "str", "code"),
    c("created_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "mac", "vendor_id"),
    Index(None, "space_id", "profile_id"),
    ForeignKeyConstraint(["space_id", "profile_id"], ["profile.space_id", "profile.profile_id"]),
)

# That two handles are one customer's: `confirmed` when a method proved it, `unconfirmed` when somebody claimed it.
identity_link = Table(
    "identity_link",
    metadata,
    c("space_id", "str", "id"),
    c("mac_a", "str", "digest", erased_by="forget"),
    c("mac_b", "str", "digest", erased_by="forget"),
    c("vendor_id", "str", "id"),
    c("method", "str", "code"),
    c("state", "str", "code"),
    c("source_id", "str", "id"),
    c("created_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "mac_a", "mac_b", "vendor_id"),
    # Whether a claim about a handle is open is one look, however many links it has.
    Index(None, "space_id", "mac_a", "state"),
    Index(None, "space_id", "mac_b", "state"),
    agent_fk(),
)

# A conversation or a task (`kind`) of the caller's own. `mac` finds it by its id (`SpaceKey.commit`, as receipts and
# surrogates do); `caller_id` is the id itself, or its surrogate when the id is personal data.
conversation = Table(
    "conversation",
    metadata,
    c("space_id", "str", "id"),
    c("conversation_ref", "str", "id"),
    c("kind", "str", "code"),
    c("mac", "str", "digest", erased_by="forget"),
    c("caller_id", "str", "caller_id", erased_by="forget"),
    c("source_id", "str", "id"),
    c("profile_id", "str", "id", nullable=True),
    # `none`, `confirmed` or `unconfirmed`: how the customer of it is known.
    c("link", "str", "code"),
    c("level", "str", "code"),
    c("started_at", "int", "time"),
    c("last_at", "int", "time"),
    c("ended_at", "int", "time", nullable=True),
    # The ordinal of the mark that ended it, and 1 or 0 when that said whether it succeeded.
    c("ended", "int", "number", nullable=True),
    c("succeeded", "int", "code", nullable=True),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "conversation_ref"),
    UniqueConstraint("space_id", "mac", "kind", "source_id"),
    Index(None, "space_id", "profile_id", "link"),
    Index(None, "space_id", "last_at"),
    Index(None, "space_id", "caller_id"),
    Index(None, "space_id", "kind", "ended"),
    agent_fk(),
)

# Further ids of a conversation.
conversation_alias = Table(
    "conversation_alias",
    metadata,
    c("space_id", "str", "id"),
    c("mac", "str", "digest", erased_by="forget"),
    c("source_id", "str", "id"),
    c("conversation_ref", "str", "id"),
    PrimaryKeyConstraint("space_id", "mac", "source_id"),
    Index(None, "space_id", "conversation_ref"),
    ForeignKeyConstraint(
        ["space_id", "conversation_ref"], ["conversation.space_id", "conversation.conversation_ref"]
    ),
)

# Their order is that of their recording: `recorded_at` never falls as `ordinal` rises. What is no turn but has an
# idempotency key of its own (an identification, an end) is a row that no conversation, task or profile names.
turn = Table(
    "turn",
    metadata,
    c("space_id", "str", "id"),
    c("turn_id", "str", "id"),
    c("ordinal", "int", "number"),
    c("source_id", "str", "id"),
    c("key_mac", "str", "digest", erased_by="forget", nullable=True),
    c("kind", "str", "code"),
    c("channel", "str", "code"),
    c("conversation_ref", "str", "id", nullable=True),
    c("task_ref", "str", "id", nullable=True),
    c("profile_id", "str", "id", nullable=True),
    c("role", "str", "code"),
    c("speaker_mac", "str", "digest", erased_by="forget", nullable=True),
    # Masked before they came here. `text` also holds a transcript and the reason of a handoff.
    c("text", "text", "text", erased_by="forget", nullable=True),
    c("operation", "str", "text", erased_by="forget", nullable=True),
    c("result", "text", "text", erased_by="forget", nullable=True),
    c("purpose", "text", "text", erased_by="forget", nullable=True),
    # JSON: [{type, namespace, mac}]
    c("objects", "text", "digest", erased_by="forget", nullable=True),
    # The receipt of the read that an agent says it had before it spoke.
    c("read_receipt_id", "str", "id", nullable=True),
    c("occurred_at", "int", "time"),
    c("recorded_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "turn_id"),
    UniqueConstraint("space_id", "ordinal"),
    UniqueConstraint("space_id", "source_id", "key_mac"),
    Index(None, "space_id", "conversation_ref", "ordinal"),
    Index(None, "space_id", "task_ref", "ordinal"),
    Index(None, "space_id", "profile_id", "ordinal"),
    agent_fk(),
)

forget_request = Table(
    "forget_request",
    metadata,
    c("space_id", "str", "id"),
    c("request_id", "str", "id"),
    c("target_kind", "str", "code"),
    c("target_id", "str", "id"),
    c("status", "str", "code"),
    c("requested_at", "int", "time"),
    c("requested_by", "str", "id"),
    c("finished_at", "int", "time", nullable=True),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "request_id"),
    space_fk(),
)
