"""The audit view: every change of a member's graph, by whom, from which conversation, and whether it can be undone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from tarimba.clock import SECOND
from tarimba.graph import member_store, store, undoing
from tarimba.graph.member import leave_read, seat_of
from tarimba.graph.touching import Touched, touched
from tarimba.graph.undoing import KEPT_FOR, Undo
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called
from tarimba.kernel import Kernel
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx

FORGOTTEN_AT_ONCE: Final = 50
_REST: Final = 60 * SECOND


@dataclass(frozen=True, slots=True)
class Entry:
    """A change of what `about` names. `at` is in microseconds; `undo` says whether age and size let it be undone."""

    number: int
    change_id: str
    action: str
    actor_type: str
    actor_id: str
    conversation_id: str | None
    at: int
    receipt_id: str
    undo: Undo
    undone_by: str | None
    about: Touched


@dataclass(frozen=True, slots=True)
class Audit:
    """A page of changes, the latest first. `ends_at` is where the next one goes on, None at the end."""

    items: tuple[Entry, ...]
    ends_at: int | None
    receipt: Recorded


def list_changes(
    kernel: Kernel, principal: Principal, called: Called, *, before: int | None, limit: int
) -> Audit:
    """Changes before the place `before`. Raises 403, 404 and 422."""
    now = kernel.writer.now(principal.space_id)
    with kernel.database.read() as connection:
        scope = seat_of(connection, principal, called)
        at = store.graph_of(connection, scope)
        rows = [] if at is None else member_store.changes(connection, at, before, limit + 1)
        about = {} if at is None else touched(connection, at, rows[:limit])
    items = tuple(
        Entry(
            number=row.change_no,
            change_id=row.change_id,
            action=row.action,
            actor_type=row.actor_type,
            actor_id=row.actor_id,
            conversation_id=row.conversation_id,
            at=row.at,
            receipt_id=row.receipt_id,
            undo=undoing.standing(row, now),
            undone_by=row.undone_by,
            about=about.get(row.change_no, Touched()),
        )
        for row in rows[:limit]
    )
    receipt = leave_read(kernel, principal, scope, "changes", {"changes": len(items)})
    return Audit(items, items[-1].number if len(rows) > limit else None, receipt)


class Forgetting:
    """Empties what changes older than thirty days were undone by, a few in each space at a time.

    Nothing of the graph itself changes, so no receipt is left.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._rests_from: int | None = None
        # What was looked at needs no second look: changes get no older times.
        self._since = 0

    def piece(self) -> bool:
        """Whether there may be more. When nothing was due it looks again a minute later."""
        now = self._kernel.clock.now_us()
        if self._rests_from is not None and 0 <= now - self._rests_from < _REST:
            return False
        until = now - KEPT_FOR
        more = forget_old(self._kernel, self._since, until)
        if not more:
            self._rests_from, self._since = now, until
        return more


def forget_old(kernel: Kernel, since: int, until: int) -> bool:
    """One piece for each space that has changes of that time. Whether any may have more."""
    with kernel.database.read() as connection:
        due = member_store.spaces_with_old_changes(connection, since, until)
    done = [kernel.writer.commit(space_id, partial(_forget, until=until)) for space_id in due]
    return FORGOTTEN_AT_ONCE in done


def _forget(tx: Tx, until: int) -> int:
    return member_store.forget_old(tx, until, FORGOTTEN_AT_ONCE)
