"""SQL of the persona of agents. No decisions."""

from __future__ import annotations

from sqlalchemy import Connection, and_, delete, insert, select

from tarimba.storage import Tx
from tarimba.storage.tables import persona
from tarimba.workspaces.model import PersonaDocument


def documents(connection: Connection, space_id: str, source_id: str) -> tuple[PersonaDocument, ...]:
    """Those that are not empty, by name."""
    columns = persona.c
    mine = and_(columns.space_id == space_id, columns.source_id == source_id)
    rows = connection.execute(select(persona).where(mine).order_by(columns.name))
    return tuple(PersonaDocument(row.name, row.content, row.hash, row.changed_at) for row in rows)


def put(tx: Tx, source_id: str, document: PersonaDocument) -> None:
    """Stores a document in the place of the one with its name."""
    drop(tx, source_id, document.name)
    tx.write(
        insert(persona).values(
            space_id=tx.space_id,
            source_id=source_id,
            name=document.name,
            content=document.text,
            hash=document.hash,
            changed_at=tx.now,
        )
    )


def drop(tx: Tx, source_id: str, name: str) -> None:
    columns = persona.c
    mine = and_(columns.space_id == tx.space_id, columns.source_id == source_id, columns.name == name)
    tx.write(delete(persona).where(mine))
