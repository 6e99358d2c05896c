"""SQL of who asks: keys and tokens to principals."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, select

from tarimba.identity.model import Principal
from tarimba.receipts.model import Via
from tarimba.storage.tables import (
    agent,
    agent_key,
    person,
    person_role,
    person_token,
    space,
    space_head,
    vendor,
)

_SPACE = (space.c.space_id, space.c.space_no, space.c.language, space.c.environment, space_head.c.generation)


def _same(left: Any, right: Any, name: str) -> ColumnElement[bool]:
    return and_(left.c.space_id == right.c.space_id, left.c[name] == right.c[name])


_KEY: Final = (
    select(*_SPACE, agent_key, agent.c.vendor_id, agent.c.pool, vendor.c.pool.label("vendor_pool"))
    .join_from(agent_key, space, space.c.space_id == agent_key.c.space_id)
    .join(space_head, space_head.c.space_id == agent_key.c.space_id)
    .outerjoin(agent, _same(agent_key, agent, "source_id"))
    .outerjoin(vendor, _same(agent, vendor, "vendor_id"))
    .where(agent_key.c.key_id == bindparam("id"))
)


def key_row(connection: Connection, key_id: str) -> Row[Any] | None:
    """The key with its space, agent and vendor; revoked and expired ones too."""
    return connection.execute(_KEY, {"id": key_id}).first()


def token_row(connection: Connection, token_id: str) -> Row[Any] | None:
    """The personal token with its person and space."""
    query = (
        select(*_SPACE, person_token, person.c.disabled_at)
        .join_from(person_token, person, _same(person_token, person, "person_id"))
        .join(space, space.c.space_id == person_token.c.space_id)
        .join(space_head, space_head.c.space_id == person_token.c.space_id)
        .where(person_token.c.token_id == token_id)
    )
    return connection.execute(query).first()


def roles_of(connection: Connection, space_id: str, person_id: str) -> frozenset[str]:
    mine = and_(person_role.c.space_id == space_id, person_role.c.person_id == person_id)
    return frozenset(connection.scalars(select(person_role.c.role).where(mine)))


def key_principal(row: Row[Any], via: Via) -> Principal:
    """The principal of a key's row: an agent, or the space's admin key."""
    is_admin = row.source_id is None
    return Principal(
        kind="admin" if is_admin else "agent",
        space_id=row.space_id,
        space_no=row.space_no,
        id=row.key_id if is_admin else row.source_id,
        via=via,
        language=row.language,
        environment=row.environment,
        generation=row.generation,
        key_id=row.key_id,
        source_id=row.source_id,
        vendor_id=row.vendor_id,
        scopes=frozenset(row.scopes.split()),
        pools=() if is_admin else (0, row.vendor_pool, row.pool),
        expires_at=row.expires_at,
    )


def token_principal(row: Row[Any], roles: frozenset[str], via: Via) -> Principal:
    """The principal of a personal token's row."""
    return Principal(
        kind="person",
        space_id=row.space_id,
        space_no=row.space_no,
        id=row.person_id,
        via=via,
        language=row.language,
        environment=row.environment,
        generation=row.generation,
        key_id=row.token_id,
        roles=roles,
        expires_at=row.expires_at,
    )
