"""SQL of the pins: which turns the context of a conversation or task holds until it ends."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from tarimba.clock import DAY
from tarimba.conversations.neighbour import Pin, Talk
from tarimba.storage import Tx
from tarimba.storage.tables import context_pin, conversation


def pin_of(connection: Connection, space_id: str, source_id: str, talk: Talk) -> Pin | None:
    """The pin of an agent's conversation; None before the first context and after the conversation has ended since."""
    query = select(context_pin.c.ordinal, context_pin.c.created_at).where(*_mine(space_id, source_id, talk))
    row = connection.execute(query).first()
    if row is None or row.ordinal < _ended(connection, space_id, source_id, talk):
        return None
    return Pin(row.ordinal, row.created_at)


def set_pin(tx: Tx, source_id: str, talk: Talk, kept_days: int) -> Pin:
    """A pin at this moment, in the place of an earlier one. Pins older than turns are kept go with it."""
    expired = (context_pin.c.space_id == tx.space_id, context_pin.c.created_at <= tx.now - kept_days * DAY)
    tx.write(delete(context_pin).where(*expired))
    tx.write(delete(context_pin).where(*_mine(tx.space_id, source_id, talk)))
    pin = Pin(tx.next_ordinal(), tx.now)
    row = {"space_id": tx.space_id, "source_id": source_id, "kind": talk.kind, "mac": talk.mac}
    tx.write(insert(context_pin), [row | {"ordinal": pin.ordinal, "created_at": pin.at}])
    return pin


def _ended(connection: Connection, space_id: str, source_id: str, talk: Talk) -> int:
    """The ordinal of the mark that ended the agent's conversation; 0 while it goes on."""
    mine = (
        conversation.c.space_id == space_id,
        conversation.c.kind == talk.kind,
        conversation.c.mac == talk.mac,
        conversation.c.source_id == source_id,
    )
    return int(connection.scalar(select(func.max(conversation.c.ended)).where(*mine)) or 0)


def _mine(space_id: str, source_id: str, talk: Talk) -> tuple[ColumnElement[bool], ...]:
    return (
        context_pin.c.space_id == space_id,
        context_pin.c.source_id == source_id,
        context_pin.c.kind == talk.kind,
        context_pin.c.mac == talk.mac,
    )
