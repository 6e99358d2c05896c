"""What recurs: turns end when the space keeps them no longer, and what two profiles had becomes one customer's.

No receipt is left: how long turns are kept is a setting, whose change left one. Known customers that only a
conversation told of end with their profile, and that does leave one.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from sqlalchemy import Connection, select, update

from tarimba.clock import DAY, SECOND
from tarimba.conversations import forget_store as store
from tarimba.identity import settings as space_settings
from tarimba.kernel import Kernel
from tarimba.personal_data import service as personal_data
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.tables import conversation, profile, space, turn

_PROFILES: Final = 50
_REST: Final = 60 * SECOND
_WORKER: Final = Actor("system", "worker")


class Keeping:
    """`keep_up` for a process that asks every second: when nothing was due it looks again a minute later."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._rests_from: int | None = None

    def piece(self) -> bool:
        now = self._kernel.clock.now_us()
        if self._rests_from is not None and 0 <= now - self._rests_from < _REST:
            return False
        more = keep_up(self._kernel)
        self._rests_from = None if more else now
        return more


def keep_up(kernel: Kernel) -> bool:
    """One piece for each space that has something due. Whether any may have more."""
    more = False
    with kernel.database.read() as connection:
        space_ids = connection.scalars(select(space.c.space_id)).all()
    for space_id in space_ids:
        with kernel.database.read() as connection:
            days = space_settings.load(connection, space_id).retention_days
            cutoff = kernel.writer.now(space_id) - days * DAY
            merging, ending = _merging(connection, space_id), _is_due(connection, space_id, cutoff)
        if merging is not None:
            gone, into = merging
            more |= kernel.writer.commit(space_id, partial(_move, gone=gone, into=into))
        if ending:
            more |= kernel.writer.commit(space_id, partial(_end, cutoff=cutoff))
    return more


def _merging(connection: Connection, space_id: str) -> tuple[str, str] | None:
    """A profile that turned out to be another, and that one."""
    query = select(profile.c.profile_id, profile.c.merged_into).where(
        profile.c.space_id == space_id, profile.c.merged_into.is_not(None)
    )
    row = connection.execute(query.limit(1)).first()
    return None if row is None else (row.profile_id, row.merged_into)


def _is_due(connection: Connection, space_id: str, cutoff: int) -> bool:
    oldest = select(turn.c.recorded_at).where(turn.c.space_id == space_id).order_by(turn.c.ordinal).limit(1)
    first = connection.scalar(oldest)
    if first is not None and first < cutoff:
        return True
    return any(
        connection.execute(
            select(table.c.space_id).where(table.c.space_id == space_id, table.c.last_at < cutoff).limit(1)
        ).first()
        for table in (conversation, profile)
    )


def _move(tx: Tx, gone: str, into: str) -> bool:
    """Moves a part of what a profile has to the other; when nothing is left it ends. Returns True: look again."""
    mine = (turn.c.space_id == tx.space_id, turn.c.profile_id == gone)
    ordinals = [row.ordinal for row in tx.all(select(turn.c.ordinal).where(*mine).limit(store.PART))]
    if ordinals:
        which = (turn.c.space_id == tx.space_id, turn.c.ordinal.in_(ordinals))
        tx.write(update(turn).where(*which).values(profile_id=into))
        return True
    theirs = (conversation.c.space_id == tx.space_id, conversation.c.profile_id == gone)
    tx.write(update(conversation).where(*theirs).values(profile_id=into))
    store.drop_people(tx, [gone])
    return True


def _end(tx: Tx, cutoff: int) -> bool:
    """Deletes a part of what is over: turns, then conversations, then whom nobody spoke with since. Whether more is."""
    query = select(turn.c.ordinal, turn.c.recorded_at).where(turn.c.space_id == tx.space_id)
    rows = tx.all(query.order_by(turn.c.ordinal).limit(store.PART))
    ended = [row.ordinal for row in rows if row.recorded_at < cutoff]
    if ended:
        store.drop_turns(tx, ended)
        return True
    over = (conversation.c.space_id == tx.space_id, conversation.c.last_at < cutoff)
    found = tx.all(select(conversation.c.conversation_ref).where(*over).limit(store.PART))
    if found:
        store.drop_conversations(tx, [row.conversation_ref for row in found])
        return True
    return _end_profiles(tx, cutoff)


def _end_profiles(tx: Tx, cutoff: int) -> bool:
    over = (profile.c.space_id == tx.space_id, profile.c.last_at < cutoff, profile.c.merged_into.is_(None))
    ids = [row.profile_id for row in tx.all(select(profile.c.profile_id).where(*over).limit(_PROFILES))]
    if not ids:
        return False
    removed = personal_data.unlearn(tx, ids)
    if removed:
        detail = {"removed": dict(sorted(removed.items())), "because": "retention"}
        record(tx, Receipt("known_customer.remove", _WORKER, "worker", detail=detail))
    store.drop_people(tx, ids)
    return True
