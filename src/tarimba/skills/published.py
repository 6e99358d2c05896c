"""What is in force: the layers that reach one agent in one subscription, and the bytes behind them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, or_

from tarimba.skills import sharing_store, store
from tarimba.skills.records import Chosen, File, Place, Published, SharedFile
from tarimba.storage.tables import shared_file, skill

__all__ = ["Chosen", "File", "Place", "Published", "SharedFile", "blob", "file_layers", "layers", "named"]


def layers(connection: Connection, space_id: str, subscription_id: str, source_id: str) -> list[Published]:
    """The skills in force at the four scopes that apply, the lowest layer first, then by name.

    Without a subscription (empty) those of the space alone; without an agent (empty) those for all agents.
    """
    found = store.in_force(connection, space_id, _reaching(skill, subscription_id, source_id))
    return sorted(found, key=lambda one: (one.place.layer, one.name))


def named(
    connection: Connection, space_id: str, subscription_id: str, source_id: str, name: str
) -> list[Published]:
    """As `layers`, of one name."""
    which = and_(skill.c.name == name, _reaching(skill, subscription_id, source_id))
    found = store.in_force(connection, space_id, which)
    return sorted(found, key=lambda one: one.place.layer)


def file_layers(
    connection: Connection, space_id: str, subscription_id: str, source_id: str
) -> list[SharedFile]:
    """The shared files at the four scopes that apply, as `layers`, then by path."""
    found = sharing_store.shared(connection, space_id, _reaching(shared_file, subscription_id, source_id))
    return sorted(found, key=lambda one: (one.place.layer, one.path))


def blob(connection: Connection, space_id: str, content: str) -> bytes:
    """The published bytes whose SHA-256 is `content`. Raises `KeyError` when there are none."""
    found = store.content(connection, space_id, content)
    if found is None:
        raise KeyError(content)
    return found


def _reaching(table: Any, subscription_id: str, source_id: str) -> ColumnElement[bool]:
    columns = table.c
    tenant = and_(columns.scope == "tenant", columns.subscription_id == "")
    if not subscription_id:
        return and_(tenant, columns.source_id.in_(sorted({"", source_id})))
    theirs = and_(columns.scope == "subscription", columns.subscription_id == subscription_id)
    return and_(or_(tenant, theirs), columns.source_id.in_(sorted({"", source_id})))
