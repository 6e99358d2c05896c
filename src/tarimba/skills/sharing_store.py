"""SQL of shared files: rows to values and back. No decisions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, insert, select

from tarimba.skills.records import Place, SharedFile
from tarimba.skills.store import at
from tarimba.storage import Tx
from tarimba.storage.tables import shared_file


def shared(connection: Connection, space_id: str, which: ColumnElement[bool]) -> list[SharedFile]:
    """The files that `which` (over `shared_file`) takes, in no order."""
    rows = connection.execute(select(shared_file).where(shared_file.c.space_id == space_id, which)).all()
    return [_file(row) for row in rows]


def shared_at(connection: Connection, space_id: str, place: Place, path: str) -> SharedFile | None:
    found = shared(connection, space_id, and_(at(shared_file, place), shared_file.c.path == path))
    return found[0] if found else None


def listed(
    connection: Connection, space_id: str, which: ColumnElement[bool], after: int, limit: int
) -> list[SharedFile]:
    """In the order in which they were last published."""
    query = select(shared_file).where(
        shared_file.c.space_id == space_id, which, shared_file.c.ordinal > after
    )
    rows = connection.execute(query.order_by(shared_file.c.ordinal).limit(limit))
    return [_file(row) for row in rows]


def paths_at(connection: Connection, space_id: str, place: Place) -> list[str]:
    query = select(shared_file.c.path).where(shared_file.c.space_id == space_id, at(shared_file, place))
    return list(connection.scalars(query))


def size_at(connection: Connection, space_id: str, place: Place) -> int:
    """The bytes of all files at a scope."""
    query = select(func.sum(shared_file.c.size)).where(shared_file.c.space_id == space_id)
    return int(connection.execute(query.where(at(shared_file, place))).scalar() or 0)


def put(tx: Tx, new: SharedFile) -> None:
    """The file in place of the one that stands there."""
    drop(tx, new.place, new.path)
    tx.write(
        insert(shared_file).values(
            space_id=tx.space_id,
            file_id=new.file_id,
            scope=new.scope,
            subscription_id=new.subscription_id,
            source_id=new.source_id,
            path=new.path,
            hash=new.hash,
            size=new.size,
            version=new.version,
            published_at=new.published_at,
            published_by=new.published_by,
            ordinal=new.ordinal,
        )
    )


def drop(tx: Tx, place: Place, path: str) -> None:
    mine = (shared_file.c.space_id == tx.space_id, at(shared_file, place), shared_file.c.path == path)
    tx.write(delete(shared_file).where(*mine))


def _file(row: Row[Any]) -> SharedFile:
    return SharedFile(
        row.file_id,
        row.scope,
        row.subscription_id,
        row.source_id,
        row.path,
        row.hash,
        row.size,
        row.version,
        row.published_at,
        row.published_by,
        row.ordinal,
    )
