"""The settings of a space as they are stored: one row for each that somebody set."""

from __future__ import annotations

import json

from sqlalchemy import Connection, bindparam, select

from tarimba.identity.setting_rules import SpaceSettings, settings_of
from tarimba.storage.tables import space_setting

__all__ = ["SpaceSettings", "load"]

_OF_SPACE = select(space_setting.c.name, space_setting.c.value).where(
    space_setting.c.space_id == bindparam("space_id")
)


def load(connection: Connection, space_id: str) -> SpaceSettings:
    """The settings in force, from the snapshot or transaction of `connection`."""
    rows = connection.execute(_OF_SPACE, {"space_id": space_id})
    return settings_of({row.name: json.loads(row.value) for row in rows})
