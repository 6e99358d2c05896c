"""SQL of the small customer memory: who is meant, and turns of theirs that an agent may read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select, union

from tarimba.conversations.neighbour import Talk, Window
from tarimba.conversations.people_store import everywhere
from tarimba.storage.tables import agent, conversation, conversation_alias, handle, profile, turn

SHOWN: Final = ("message", "action", "system_event")
_TURN: Final = (
    turn.c.turn_id,
    turn.c.ordinal,
    turn.c.kind,
    turn.c.role,
    turn.c.conversation_ref,
    turn.c.task_ref,
    turn.c.text,
    turn.c.operation,
    turn.c.result,
    turn.c.purpose,
    turn.c.occurred_at,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which turns may be read: of these profiles, or within these conversations and tasks.

    Within `refs` also turns that name no customer count. `vendor_id` None reads what every vendor's agents recorded.
    """

    space_id: str
    vendor_id: str | None
    profiles: frozenset[str] = frozenset()
    refs: frozenset[str] | None = None

    @property
    def is_empty(self) -> bool:
        return not self.profiles if self.refs is None else not self.refs

    def where(self) -> list[ColumnElement[bool]]:
        """The conditions on `turn`, the space first."""
        found = [turn.c.space_id == self.space_id, turn.c.kind.in_(SHOWN), *_recorded_by(turn, self)]
        theirs = turn.c.profile_id.in_(sorted(self.profiles))
        if self.refs is None:
            return [*found, theirs]
        refs = sorted(self.refs)
        within = or_(turn.c.conversation_ref.in_(refs), turn.c.task_ref.in_(refs))
        return [*found, within, or_(turn.c.profile_id.is_(None), theirs)]


def talks(connection: Connection, space_id: str, vendor_id: str | None, talk: Talk) -> Sequence[Row[Any]]:
    """The rows of a conversation or task, one for each agent that recorded in it, the oldest first."""
    aliases = select(conversation_alias.c.conversation_ref).where(
        conversation_alias.c.space_id == space_id, conversation_alias.c.mac == talk.mac
    )
    by_id = select(conversation.c.conversation_ref).where(
        conversation.c.space_id == space_id, conversation.c.mac == talk.mac
    )
    named = conversation.c.conversation_ref.in_(union(by_id, aliases))
    found = (conversation.c.space_id == space_id, conversation.c.kind == talk.kind, named)
    recorded = _recorded_by(conversation, Scope(space_id, vendor_id))
    query = select(conversation).where(*found, *recorded).order_by(conversation.c.ordinal)
    return connection.execute(query).all()


def last_ordinal(connection: Connection, space_id: str, refs: Iterable[str]) -> int:
    """The ordinal of the newest turn in these conversations or tasks; 0 for none."""
    named = sorted(refs)
    within = or_(turn.c.conversation_ref.in_(named), turn.c.task_ref.in_(named))
    query = select(func.max(turn.c.ordinal)).where(turn.c.space_id == space_id, within)
    return int(connection.scalar(query) or 0)


def profiles_of(
    connection: Connection, space_id: str, vendor_id: str | None, handle_mac: str
) -> frozenset[str]:
    """The customer with the handle as `customer` has them; empty when nobody has the handle."""
    mine = [handle.c.space_id == space_id, handle.c.mac == handle_mac]
    mine += [] if vendor_id is None else [handle.c.vendor_id == vendor_id]
    found = connection.scalar(select(handle.c.profile_id).where(*mine).order_by(handle.c.vendor_id).limit(1))
    return customer(connection, space_id, vendor_id, found)


def customer(
    connection: Connection, space_id: str, vendor_id: str | None, profile_id: str | None
) -> frozenset[str]:
    """A profile with all that are the same customer to agents of the vendor; to those of every vendor for None.

    To a vendor these are the one that it was merged into, and every other that was merged into that one.
    """
    if profile_id is None:
        return frozenset()
    if vendor_id is None:
        return everywhere(connection, space_id, [profile_id])
    mine = and_(profile.c.space_id == space_id, profile.c.profile_id == profile_id)
    root = connection.scalar(select(profile.c.merged_into).where(mine)) or profile_id
    merged = and_(profile.c.space_id == space_id, profile.c.merged_into == root)
    return frozenset({root, *connection.scalars(select(profile.c.profile_id).where(merged))})


def newest(
    connection: Connection,
    scope: Scope,
    limit: int,
    *,
    window: Window | None = None,
    until: int | None = None,
    before: int | None = None,
) -> Sequence[Row[Any]]:
    """Turns of the scope, newest first: up to the ordinal `until`, below the ordinal `before`."""
    if scope.is_empty:
        return []
    found = scope.where()
    found += [] if until is None else [turn.c.ordinal <= until]
    found += [] if before is None else [turn.c.ordinal < before]
    found += [] if window is None else _inside(window)
    query: Select[Any] = select(*_TURN).where(*found).order_by(turn.c.ordinal.desc()).limit(limit)
    return connection.execute(query).all()


def one(connection: Connection, scope: Scope, turn_id: str, *, of_anybody: bool) -> Row[Any] | None:
    """The turn with this id if it is in the scope; `of_anybody` asks only for who recorded it."""
    if scope.is_empty and not of_anybody:
        return None
    found = [turn.c.space_id == scope.space_id, turn.c.kind.in_(SHOWN), *_recorded_by(turn, scope)]
    query: Select[Any] = select(*_TURN).where(
        *(found if of_anybody else scope.where()), turn.c.turn_id == turn_id
    )
    return connection.execute(query).first()


def around(connection: Connection, scope: Scope, row: Row[Any], each: int) -> list[Row[Any]]:
    """Up to `each` turns before and after one of the scope, in the same conversation or task, oldest first."""
    refs = frozenset({ref for ref in (row.conversation_ref or row.task_ref,) if ref})
    if not refs:
        return [row]
    beside = Scope(scope.space_id, scope.vendor_id, scope.profiles, refs)
    earlier = newest(connection, beside, each, before=row.ordinal)
    later = (
        select(*_TURN)
        .where(*beside.where(), turn.c.ordinal > row.ordinal)
        .order_by(turn.c.ordinal)
        .limit(each)
    )
    return [*reversed(earlier), row, *connection.execute(later).all()]


def _recorded_by(table: Any, scope: Scope) -> Iterable[ColumnElement[bool]]:
    if scope.vendor_id is None:
        return ()
    vendors = select(agent.c.source_id).where(
        agent.c.space_id == scope.space_id, agent.c.vendor_id == scope.vendor_id
    )
    return (table.c.source_id.in_(vendors),)


def _inside(window: Window) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    found += [] if window.since is None else [turn.c.occurred_at >= window.since]
    found += [] if window.until is None else [turn.c.occurred_at < window.until]
    found += [turn.c.channel.in_(sorted(window.channels))] if window.channels else []
    found += [turn.c.kind.in_(sorted(window.kinds))] if window.kinds else []
    return found
