"""What a space knows, as far as a check depends on it: a snapshot, and whether it still holds at the commit."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, and_, bindparam, exists, insert, select, update

from tarimba.errors import not_found
from tarimba.personal_data.model import Knowledge
from tarimba.storage import Tx
from tarimba.storage.tables import known_customer, space, space_knowledge, space_setting

ALLOW: Final = "personal_data.allow"

_QUERY: Final[Select[Any]] = (
    select(
        space.c.space_id,
        space.c.language,
        space_knowledge.c.version,
        space_knowledge.c.scan,
        space_setting.c.value.label("allow"),
        exists().where(known_customer.c.space_id == space.c.space_id).label("has_customers"),
    )
    .join_from(space, space_knowledge, space_knowledge.c.space_id == space.c.space_id, isouter=True)
    .outerjoin(
        space_setting, and_(space_setting.c.space_id == space.c.space_id, space_setting.c.name == ALLOW)
    )
)
_ONE: Final = _QUERY.where(space.c.space_id == bindparam("which"))
_BUMP: Final = (
    update(space_knowledge)
    .where(space_knowledge.c.space_id == bindparam("which"))
    .values(version=space_knowledge.c.version + 1, scan=space_knowledge.c.scan + bindparam("by"))
)
_NEW: Final = insert(space_knowledge)


class MovedError(Exception):
    """What the space knows is not what the note was checked with: check it again."""


def knowledge(connection: Connection, space_id: str) -> Knowledge:
    """What the space knows now. Raises 404."""
    row = connection.execute(_ONE, {"which": space_id}).first()
    if row is None:
        raise not_found("space")
    return _knowledge(row)


def every_knowledge(connection: Connection) -> list[Knowledge]:
    """What each space of the installation knows."""
    return [_knowledge(row) for row in connection.execute(_QUERY)]


def is_same(tx: Tx, checked: Knowledge) -> bool:
    """Under the lock: whether a check with `checked` would end the same now."""
    now = knowledge(tx.connection, tx.space_id)
    return (now.version, now.allow) == (checked.version, checked.allow)


def require_same(tx: Tx, checked: Knowledge) -> None:
    """Under the lock. Raises `MovedError` when a check with `checked` might end differently now."""
    if not is_same(tx, checked):
        raise MovedError


def bump(tx: Tx, *, suspects: bool) -> None:
    """What the space knows changes; with `suspects` stored notes are to be scanned again."""
    tx.changed()
    by = int(suspects)
    if tx.write(_BUMP, [{"which": tx.space_id, "by": by}]) == 0:
        tx.write(_NEW, [{"space_id": tx.space_id, "version": 1, "scan": by}])


def _knowledge(row: Row[Any]) -> Knowledge:
    allow = frozenset(json.loads(row.allow)) if row.allow else frozenset()
    return Knowledge(
        row.space_id, row.language, row.version or 0, row.scan or 0, bool(row.has_customers), allow
    )
