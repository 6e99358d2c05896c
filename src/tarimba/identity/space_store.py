"""SQL of spaces and their settings. No decisions."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, delete, insert, literal, select, update

from tarimba.identity.entries import Space
from tarimba.storage import Tx
from tarimba.storage.dialects import insert_new
from tarimba.storage.tables import space, space_head, space_setting

_SPACE = (
    space.c.space_id,
    space.c.space_no,
    space.c.slug,
    space.c.name,
    space.c.language,
    space.c.environment,
    space.c.created_at,
)


def spaces(connection: Connection) -> list[Space]:
    """Every space of the installation, by slug."""
    return [_space(row) for row in connection.execute(_spaces().order_by(space.c.slug))]


def space_by_slug(connection: Connection, slug: str) -> Space | None:
    row = connection.execute(_spaces().where(space.c.slug == slug)).first()
    return _space(row) if row else None


def space_by_id(connection: Connection, space_id: str) -> Space | None:
    row = connection.execute(_spaces().where(space.c.space_id == space_id)).first()
    return _space(row) if row else None


def add_space(connection: Connection, entry: Space, hmac_key: bytes, frontier: bytes, seal: bytes) -> None:
    """The space and its head, unless another process has just made one with this slug: then neither."""
    row = {column.name: getattr(entry, column.name) for column in _SPACE} | {"hmac_key": hmac_key}
    connection.execute(insert_new(connection, space, row))
    numbers = {"generation": 0, "size": 0, "counter": 0, "last_at": 0, "indexed_size": 0}
    values = numbers | {"frontier": frontier, "seal": seal}
    head = select(space.c.space_id, *(literal(value) for value in values.values())).where(
        space.c.space_id == entry.space_id
    )
    connection.execute(insert(space_head).from_select(["space_id", *values], head))


def update_space(tx: Tx, values: dict[str, Any]) -> None:
    tx.write(update(space).where(space.c.space_id == tx.space_id).values(**values))


def put_setting(tx: Tx, name: str, value: Any) -> None:
    """Stores a setting; None takes it away."""
    mine = and_(space_setting.c.space_id == tx.space_id, space_setting.c.name == name)
    tx.write(delete(space_setting).where(mine))
    if value is not None:
        tx.write(insert(space_setting).values(space_id=tx.space_id, name=name, value=json.dumps(value)))


def _spaces() -> Select[Any]:
    return select(*_SPACE)


def _space(row: Row[Any]) -> Space:
    return Space(
        row.space_id, row.space_no, row.slug, row.name, row.language, row.environment, row.created_at
    )
