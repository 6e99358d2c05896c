"""Reading whose agent it is. Everything else that the slice stores belongs to other slices."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, bindparam, select

from tarimba.storage.tables import agent

_VENDOR: Final = select(agent.c.vendor_id).where(
    agent.c.space_id == bindparam("space_id"), agent.c.source_id == bindparam("source_id")
)


def vendor_of(connection: Connection, space_id: str, source_id: str) -> str:
    """The vendor of an agent that a proposal names."""
    return str(connection.scalar(_VENDOR, {"space_id": space_id, "source_id": source_id}))
