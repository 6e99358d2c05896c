"""SQL of the versions of members' memory files. No decisions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, insert, select

from tarimba.storage import Tx
from tarimba.storage.tables import memory_version
from tarimba.workspaces.model import MemoryVersion, Origin, Workspace

_COLUMNS = memory_version.c
_TOLD = (_COLUMNS.version, _COLUMNS.hash, _COLUMNS.size, _COLUMNS.origin, _COLUMNS.created_at)


def latest(
    connection: Connection, workspace: Workspace, origin: Origin | None = None
) -> MemoryVersion | None:
    """The newest version, or the newest of one origin."""
    query = _told(workspace)
    if origin is not None:
        query = query.where(_COLUMNS.origin == origin)
    row = connection.execute(query.order_by(_COLUMNS.version.desc()).limit(1)).first()
    return None if row is None else _version(row)


def versions(connection: Connection, workspace: Workspace) -> tuple[MemoryVersion, ...]:
    """All that are kept, newest first."""
    query = _told(workspace).order_by(_COLUMNS.version.desc())
    return tuple(_version(row) for row in connection.execute(query))


def version(connection: Connection, workspace: Workspace, number: int) -> tuple[MemoryVersion, str] | None:
    """One version and its text."""
    query = _told(workspace).add_columns(_COLUMNS.content).where(_COLUMNS.version == number)
    row = connection.execute(query).first()
    return None if row is None else (_version(row), row.content)


def add(tx: Tx, workspace: Workspace, new: MemoryVersion, content: str) -> None:
    row = {
        "space_id": tx.space_id,
        "workspace_id": workspace.workspace_id,
        "project": workspace.seat.project,
        "version": new.version,
        "content": content,
        "hash": new.hash,
        "size": new.size,
        "origin": new.origin,
        "created_at": new.created_at,
    }
    tx.write(insert(memory_version), [row])


def prune(tx: Tx, workspace: Workspace, origin: Origin, keep: int) -> None:
    """Takes away all of one origin but the newest."""
    numbers = select(_COLUMNS.version).where(_mine(workspace), _COLUMNS.origin == origin)
    oldest = tx.scalar(numbers.order_by(_COLUMNS.version.desc()).offset(keep - 1).limit(1))
    if oldest is not None:
        mine = and_(_mine(workspace), _COLUMNS.origin == origin)
        tx.write(delete(memory_version).where(mine, _COLUMNS.version < oldest))


def _told(workspace: Workspace) -> Select[Any]:
    return select(*_TOLD).where(_mine(workspace))


def _mine(workspace: Workspace) -> ColumnElement[bool]:
    return and_(
        _COLUMNS.space_id == workspace.seat.space_id,
        _COLUMNS.workspace_id == workspace.workspace_id,
        _COLUMNS.project == workspace.seat.project,
    )


def _version(row: Row[Any]) -> MemoryVersion:
    return MemoryVersion(row.version, row.hash, row.size, row.origin, row.created_at)
