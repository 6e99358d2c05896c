"""Tables of the log, of idempotency, the outbox and the jobs."""

from __future__ import annotations

from sqlalchemy import Index, PrimaryKeyConstraint, Table

from tarimba.storage.columns import column as c
from tarimba.storage.schema import metadata, space_fk

idempotency = Table(
    "idempotency",
    metadata,
    c("space_id", "str", "id"),
    c("actor", "str", "id"),
    c("route", "str", "code"),
    c("key_mac", "str", "digest"),
    c("body_mac", "str", "digest"),
    c("status", "int", "code"),
    # Ids of what the first request made, as JSON: the answer is rebuilt from what is stored.
    c("result", "text", "id"),
    c("receipt_seq", "int", "number", nullable=True),
    c("created_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "actor", "route", "key_mac"),
    Index(None, "space_id", "created_at"),
    space_fk(),
)

receipt_bundle = Table(
    "receipt_bundle",
    metadata,
    c("space_id", "str", "id"),
    c("first_seq", "int", "number"),
    c("count", "int", "number"),
    c("hashes", "bytes", "digest"),
    c("entries", "bytes", "id"),
    PrimaryKeyConstraint("space_id", "first_seq"),
    space_fk(),
)

# Files outside the database that hold the beginning of the log, 256 receipts each: what is in one is in no bundle.
log_cold = Table(
    "log_cold",
    metadata,
    c("space_id", "str", "id"),
    c("first_seq", "int", "number"),
    c("count", "int", "number"),
    # Its path below the folder or the prefix, its bytes and their SHA-256.
    c("name", "str", "digest"),
    c("size", "int", "number"),
    c("digest", "str", "digest"),
    c("moved_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "first_seq"),
    space_fk(),
)

# The note ids of a block, once for each etag: the entries of block reads leave them out and readers put
# them back before they hash.
block_notes = Table(
    "block_notes",
    metadata,
    c("space_id", "str", "id"),
    c("etag", "str", "digest"),
    c("notes", "text", "id"),
    PrimaryKeyConstraint("space_id", "etag"),
    space_fk(),
)

receipt_ref = Table(
    "receipt_ref",
    metadata,
    c("space_id", "str", "id"),
    c("ref", "str", "digest"),
    c("seq", "int", "number"),
    PrimaryKeyConstraint("space_id", "ref", "seq"),
    space_fk(),
    # The key is the whole row: without this SQLite would store each row twice.
    sqlite_with_rowid=False,
)

# How many receipts of an action each day has, and how many notes they gave out: counted where the log is indexed.
log_count = Table(
    "log_count",
    metadata,
    c("space_id", "str", "id"),
    c("day", "int", "time"),
    c("action", "str", "code"),
    c("count", "int", "number"),
    c("notes", "int", "number"),
    PrimaryKeyConstraint("space_id", "day", "action"),
    space_fk(),
)

# Roots of perfect subtrees of the tree over the log, so that a proof reads few hashes: `level` 1 has those of 256
# leaves, each level above those of 256 nodes of the one below. Follows from the bundles; verifying compares it.
log_node = Table(
    "log_node",
    metadata,
    c("space_id", "str", "id"),
    c("level", "int", "number"),
    c("place", "int", "number"),
    c("hash", "bytes", "digest"),
    PrimaryKeyConstraint("space_id", "level", "place"),
    space_fk(),
)

# Verifications of the whole log that a person asked for: how far each is, and what it found.
log_check = Table(
    "log_check",
    metadata,
    c("space_id", "str", "id"),
    c("check_id", "str", "id"),
    c("asked_by", "str", "id"),
    c("asked_at", "int", "time"),
    c("size", "int", "number"),
    c("done", "int", "number", default=0),
    c("finished_at", "int", "time", nullable=True),
    # The report as JSON: counts, places in the log, ids.
    c("report", "text", "id", nullable=True),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "check_id"),
    space_fk(),
)

# The Ed25519 keys that sign checkpoints. The secret is wrapped by the master key, and goes when the key is retired.
signing_key = Table(
    "signing_key",
    metadata,
    c("space_id", "str", "id"),
    c("key_id", "str", "id"),
    c("public", "bytes", "digest"),
    c("secret", "bytes", "secret", nullable=True),
    c("created_at", "int", "time"),
    c("retired_at", "int", "time", nullable=True),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "key_id"),
    space_fk(),
)

# Of today all, of each earlier day the last.
log_checkpoint = Table(
    "log_checkpoint",
    metadata,
    c("space_id", "str", "id"),
    c("size", "int", "number"),
    c("made_at", "int", "time"),
    c("key_id", "str", "id"),
    # The signed note, as it is published.
    c("note", "text", "id"),
    PrimaryKeyConstraint("space_id", "size"),
    space_fk(),
)

# Whose cosignatures of checkpoints are taken: witnesses outside, whom an owner names by their public keys.
log_witness = Table(
    "log_witness",
    metadata,
    c("space_id", "str", "id"),
    c("key_id", "str", "id"),
    c("name", "str", "name"),
    c("public", "bytes", "digest"),
    c("added_at", "int", "time"),
    c("added_by", "str", "id"),
    # A removed one gives no more cosignatures; those that it gave stay.
    c("removed_at", "int", "time", nullable=True),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "key_id"),
    space_fk(),
)

# The newest cosignature of each witness on a checkpoint that is kept.
log_cosignature = Table(
    "log_cosignature",
    metadata,
    c("space_id", "str", "id"),
    c("size", "int", "number"),
    c("key_id", "str", "id"),
    # When the witness says that it saw it, in seconds.
    c("at", "int", "time"),
    # The line of the note, as the witness gave it.
    c("line", "text", "id"),
    PrimaryKeyConstraint("space_id", "size", "key_id"),
    space_fk(),
)

outbox = Table(
    "outbox",
    metadata,
    c("space_id", "str", "id"),
    c("ordinal", "int", "number"),
    c("event_id", "str", "id"),
    c("type", "str", "code"),
    c("subject", "str", "id"),
    c("payload", "text", "id"),
    c("created_at", "int", "time"),
    c("delivered_at", "int", "time", nullable=True),
    PrimaryKeyConstraint("space_id", "ordinal"),
    space_fk(),
)

job = Table(
    "job",
    metadata,
    c("space_id", "str", "id"),
    c("job_id", "str", "id"),
    c("kind", "str", "code"),
    c("payload", "text", "id"),
    c("state", "str", "code"),
    c("attempts", "int", "number", default=0),
    c("run_after", "int", "time"),
    c("leased_until", "int", "time", nullable=True),
    c("leased_by", "str", "id", nullable=True),
    c("problem", "str", "code", nullable=True),
    c("created_at", "int", "time"),
    c("ordinal", "int", "number"),
    PrimaryKeyConstraint("space_id", "job_id"),
    Index(None, "state", "run_after"),
    space_fk(),
)
