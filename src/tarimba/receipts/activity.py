"""How much was read and done on each day, for charts: what is counted beside the index, and the newest receipts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import select

from tarimba.clock import DAY
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.receipts import counting
from tarimba.receipts.counting import Counts
from tarimba.receipts.index import position
from tarimba.receipts.reading import LogReader
from tarimba.storage.tables import log_count

# The index trails by less than that; of a longer tail the oldest part is read.
_TAIL_MAX: Final = 1_000
_ROWS_MAX: Final = 366 * 100


@dataclass(frozen=True, slots=True)
class Counted:
    """One action on one day (its first moment, in microseconds, UTC). `notes` were given out by block reads."""

    day: int
    action: str
    count: int
    notes: int


def days(kernel: Kernel, principal: Principal, since: int) -> list[Counted]:
    """What was done from that day on, oldest first. Raises 403."""
    allow(principal, "read_notes")
    first = since // DAY * DAY
    columns = log_count.c
    mine = (columns.space_id == principal.space_id, columns.day >= first)
    query = select(columns.day, columns.action, columns.count, columns.notes).where(*mine).limit(_ROWS_MAX)
    with kernel.database.read() as connection:
        counts: Counts = {
            (day, action): (count, notes) for day, action, count, notes in connection.execute(query)
        }
        at = position(connection, principal.space_id)
        reader = LogReader(connection, principal.space_id, kernel.cold)
        for stored in reader.span(at.indexed, min(at.size, at.indexed + _TAIL_MAX)):
            counting.count(counts, stored.document)
    found = [Counted(day, action, *sums) for (day, action), sums in sorted(counts.items())]
    return [one for one in found if one.day >= first]
