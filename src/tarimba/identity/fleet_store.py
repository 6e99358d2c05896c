"""SQL of vendors, agents and keys: rows to entries and back. No decisions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Select, and_, insert, select, update

from tarimba.identity.entries import Agent, Key, Vendor
from tarimba.identity.listing import Page, Window, page_of, rows_of
from tarimba.storage import Tx
from tarimba.storage.tables import agent, agent_key, vendor

_VENDOR = (vendor.c.vendor_id, vendor.c.slug, vendor.c.name, vendor.c.created_at, vendor.c.ordinal)
_AGENT = (*agent.c, vendor.c.slug.label("vendor"))


def vendors(connection: Connection, space_id: str, window: Window) -> Page[Vendor]:
    rows = rows_of(connection, _vendors(space_id), vendor.c.ordinal, window)
    return page_of([_vendor(row) for row in rows], window)


def all_vendors(connection: Connection, space_id: str) -> list[Vendor]:
    return [_vendor(row) for row in connection.execute(_vendors(space_id).order_by(vendor.c.ordinal))]


def vendor_by_id(connection: Connection, space_id: str, vendor_id: str) -> Vendor | None:
    row = connection.execute(_vendors(space_id).where(vendor.c.vendor_id == vendor_id)).first()
    return _vendor(row) if row else None


def vendor_by_slug(connection: Connection, space_id: str, slug: str) -> Vendor | None:
    row = connection.execute(_vendors(space_id).where(vendor.c.slug == slug)).first()
    return _vendor(row) if row else None


def agents(connection: Connection, space_id: str, window: Window) -> Page[Agent]:
    rows = rows_of(connection, _agents(space_id), agent.c.ordinal, window)
    return page_of([_agent(row) for row in rows], window)


def all_agents(connection: Connection, space_id: str) -> list[Agent]:
    return [_agent(row) for row in connection.execute(_agents(space_id).order_by(agent.c.ordinal))]


def agent_by_id(connection: Connection, space_id: str, source_id: str) -> Agent | None:
    row = connection.execute(_agents(space_id).where(agent.c.source_id == source_id)).first()
    return _agent(row) if row else None


def agent_by_slug(connection: Connection, space_id: str, slug: str) -> Agent | None:
    row = connection.execute(_agents(space_id).where(agent.c.slug == slug)).first()
    return _agent(row) if row else None


def keys(connection: Connection, space_id: str, window: Window, source_id: str | None = None) -> Page[Key]:
    """Keys of the space, or of one agent; revoked and expired ones too."""
    query = _keys(space_id)
    if source_id is not None:
        query = query.where(agent_key.c.source_id == source_id)
    return page_of([_key(row) for row in rows_of(connection, query, agent_key.c.ordinal, window)], window)


def all_keys(connection: Connection, space_id: str) -> list[Key]:
    return [_key(row) for row in connection.execute(_keys(space_id).order_by(agent_key.c.ordinal))]


def key_by_id(connection: Connection, space_id: str, key_id: str) -> Key | None:
    row = connection.execute(_keys(space_id).where(agent_key.c.key_id == key_id)).first()
    return _key(row) if row else None


def add_vendor(tx: Tx, entry: Vendor) -> None:
    tx.write(
        insert(vendor).values(
            space_id=tx.space_id,
            vendor_id=entry.vendor_id,
            slug=entry.slug,
            name=entry.name,
            pool=tx.next_ordinal(),
            created_at=entry.created_at,
            ordinal=entry.ordinal,
        )
    )


def add_agent(tx: Tx, entry: Agent) -> None:
    tx.write(
        insert(agent).values(
            space_id=tx.space_id,
            source_id=entry.source_id,
            vendor_id=entry.vendor_id,
            slug=entry.slug,
            name=entry.name,
            harness=entry.harness,
            task_section=int(entry.task_section),
            pool=tx.next_ordinal(),
            created_at=entry.created_at,
            ordinal=entry.ordinal,
        )
    )


def update_vendor(tx: Tx, vendor_id: str, values: dict[str, Any]) -> None:
    mine = and_(vendor.c.space_id == tx.space_id, vendor.c.vendor_id == vendor_id)
    tx.write(update(vendor).where(mine).values(**values))


def update_agent(tx: Tx, source_id: str, values: dict[str, Any]) -> None:
    mine = and_(agent.c.space_id == tx.space_id, agent.c.source_id == source_id)
    tx.write(update(agent).where(mine).values(**values))


def add_key(tx: Tx, entry: Key, digest: str) -> None:
    tx.write(
        insert(agent_key).values(
            space_id=tx.space_id,
            key_id=entry.key_id,
            source_id=entry.source_id,
            name=entry.name,
            scopes=" ".join(entry.scopes),
            digest=digest,
            created_at=entry.created_at,
            expires_at=entry.expires_at,
            ordinal=entry.ordinal,
        )
    )


def mark_key_revoked(tx: Tx, key_id: str) -> None:
    mine = and_(agent_key.c.space_id == tx.space_id, agent_key.c.key_id == key_id)
    tx.write(update(agent_key).where(mine).values(revoked_at=tx.now))


def _vendors(space_id: str) -> Select[Any]:
    return select(*_VENDOR).where(vendor.c.space_id == space_id)


def _agents(space_id: str) -> Select[Any]:
    theirs = and_(agent.c.space_id == vendor.c.space_id, agent.c.vendor_id == vendor.c.vendor_id)
    return select(*_AGENT).join_from(agent, vendor, theirs).where(agent.c.space_id == space_id)


def _keys(space_id: str) -> Select[Any]:
    return select(agent_key).where(agent_key.c.space_id == space_id)


def _vendor(row: Row[Any]) -> Vendor:
    return Vendor(row.vendor_id, row.slug, row.name, row.created_at, row.ordinal)


def _agent(row: Row[Any]) -> Agent:
    return Agent(
        row.source_id,
        row.slug,
        row.name,
        row.vendor_id,
        row.vendor,
        row.harness,
        bool(row.task_section),
        row.created_at,
        row.ordinal,
    )


def _key(row: Row[Any]) -> Key:
    return Key(
        row.key_id,
        row.source_id,
        row.name,
        tuple(row.scopes.split()),
        row.created_at,
        row.expires_at,
        row.revoked_at,
        row.last_used_at,
        row.ordinal,
    )
