"""What an agent has used up: writes and refusals of the rolling last hour, active notes, refusals by day.

Counted under the lock of the space, so that forty requests at once store exactly as many as there is room for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from sqlalchemy import bindparam, delete, func, insert, select, update

from tarimba.clock import DAY, HOUR
from tarimba.identity.settings import SpaceSettings
from tarimba.notes import rules, store
from tarimba.storage import Tx
from tarimba.storage.tables import agent_event, refusal_count

Counted = Literal["write", "refusal"]

_OF_KIND: Final = (
    agent_event.c.space_id == bindparam("of"),
    agent_event.c.source_id == bindparam("by"),
    agent_event.c.kind == bindparam("counted"),
)
_NEW_EVENT: Final = insert(agent_event)
_PRUNE: Final = delete(agent_event).where(*_OF_KIND, agent_event.c.at <= bindparam("until"))
_COUNT: Final = (
    select(func.count()).select_from(agent_event).where(*_OF_KIND, agent_event.c.at > bindparam("until"))
)
_TIMES: Final = (
    select(agent_event.c.at)
    .where(*_OF_KIND, agent_event.c.at > bindparam("until"))
    .order_by(agent_event.c.ordinal)
    .limit(1)
    .offset(bindparam("skipped"))
)
_OF_DAY: Final = (
    refusal_count.c.space_id == bindparam("of"),
    refusal_count.c.source_id == bindparam("by"),
    refusal_count.c.kind == bindparam("counted"),
    refusal_count.c.day == bindparam("on"),
)
_NEW_COUNT: Final = insert(refusal_count)
_BUMP: Final = update(refusal_count).where(*_OF_DAY).values(count=refusal_count.c.count + 1)


def seconds_to_wait(tx: Tx, source_id: str, counted: Counted, limit: int) -> int | None:
    """None when one more event fits into the last hour, else exactly how long it does not."""
    window = {"of": tx.space_id, "by": source_id, "counted": counted, "until": tx.now - HOUR}
    count = int(tx.scalar(_COUNT, window) or 0)
    if count < limit:
        return None
    # After the limit was lowered more than one event has to leave first.
    leaving = int(tx.scalar(_TIMES, {**window, "skipped": count - limit}))
    return rules.seconds_left(leaving, HOUR, tx.now)


def take(tx: Tx, source_id: str, counted: Counted) -> None:
    """Counts one event, and forgets those that have left the window."""
    mine = {"of": tx.space_id, "by": source_id, "counted": counted}
    tx.write(_PRUNE, [{**mine, "until": tx.now - HOUR}])
    row = {
        "space_id": tx.space_id,
        "source_id": source_id,
        "kind": counted,
        "ordinal": tx.next_ordinal(),
        "at": tx.now,
    }
    tx.write(_NEW_EVENT, [row])


def take_write(tx: Tx, source_id: str, settings: SpaceSettings) -> None:
    """Counts a write by the agent. Raises 429 when its writes or its refusals are used up."""
    limits: tuple[tuple[Counted, int, str], ...] = (
        ("refusal", settings.refusals_per_hour, "refusals"),
        ("write", settings.writes_per_hour, "writes"),
    )
    for counted, limit, words in limits:
        wait = seconds_to_wait(tx, source_id, counted, limit)
        if wait is not None:
            raise rules.limited(wait, words)
    take(tx, source_id, "write")


def require_room(tx: Tx, source_id: str, settings: SpaceSettings) -> None:
    """Raises 409 `agent_memory_full`."""
    if store.active_count(tx.connection, tx.space_id, source_id, tx.now) >= settings.active_notes_max:
        raise rules.full(settings.active_notes_max)


def count_refused(tx: Tx, source_id: str, kinds: Iterable[str]) -> None:
    """Adds one to the day's count of each kind of refusal."""
    day = tx.now // DAY * DAY
    for kind in kinds:
        if tx.write(_BUMP, [{"of": tx.space_id, "by": source_id, "counted": kind, "on": day}]) == 0:
            row = {"space_id": tx.space_id, "source_id": source_id, "kind": kind, "day": day, "count": 1}
            tx.write(_NEW_COUNT, [row])
