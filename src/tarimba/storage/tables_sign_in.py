"""Tables of how people come in: passwords and second factors, sessions, one-time links, failed attempts."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from tarimba.storage.columns import column as c
from tarimba.storage.schema import metadata


def _person_fk() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["space_id", "person_id"], ["person.space_id", "person.person_id"])


person_secret = Table(
    "person_secret",
    metadata,
    c("space_id", "str", "id"),
    c("person_id", "str", "id"),
    # argon2id in its own form; empty while the person has none.
    c("password", "str", "digest"),
    # The seed of the second factor, wrapped under the master key; it asks for codes once `totp_since` is set.
    c("totp", "bytes", "secret", nullable=True),
    c("totp_since", "int", "time", nullable=True),
    # The last step whose code was taken: a code opens once.
    c("totp_step", "int", "number", default=0),
    # The issuer and subject of a provider by whom they came in first: from then on nobody else of it does.
    c("oidc", "str", "digest", nullable=True),
    c("changed_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "person_id"),
    UniqueConstraint("oidc", "space_id"),
    _person_fk(),
)

person_session = Table(
    "person_session",
    metadata,
    c("space_id", "str", "id"),
    c("session_id", "str", "id", unique=True),
    c("person_id", "str", "id"),
    c("digest", "str", "digest"),
    c("created_at", "int", "time"),
    c("seen_at", "int", "time"),
    c("expires_at", "int", "time"),
    c("ended_at", "int", "time", nullable=True),
    PrimaryKeyConstraint("space_id", "session_id"),
    Index(None, "space_id", "person_id"),
    _person_fk(),
)

# A link that is given to a person once, to come in and to set a password.
sign_in_link = Table(
    "sign_in_link",
    metadata,
    c("space_id", "str", "id"),
    c("link_id", "str", "id", unique=True),
    c("person_id", "str", "id"),
    c("digest", "str", "digest"),
    c("created_at", "int", "time"),
    c("expires_at", "int", "time"),
    c("spent_at", "int", "time", nullable=True),
    # 1 when the host made it: others let nobody in who is settled by then.
    c("by_host", "int", "number", default=0),
    PrimaryKeyConstraint("space_id", "link_id"),
    _person_fk(),
)

# Who failed how often, by a MAC of the address that was typed or that the request came from. Belongs to no space:
# an address that nobody has is counted like any other.
sign_in_failure = Table(
    "sign_in_failure",
    metadata,
    c("name", "str", "digest", primary_key=True),
    c("failures", "int", "number"),
    c("last_at", "int", "time"),
)
