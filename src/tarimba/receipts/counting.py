"""How much was read and done on each day: sums that are kept beside the index, for charts. Never for a proof."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import insert, update

from tarimba.clock import DAY, from_datetime
from tarimba.receipts.model import KINDS
from tarimba.storage import Tx
from tarimba.storage.tables import log_count

Counts = dict[tuple[int, str], tuple[int, int]]
"""By day and action: how many receipts, and how many notes they gave out."""


def count(counts: Counts, document: Mapping[str, Any]) -> None:
    """One more receipt, as far as an altered log says what it is."""
    action, detail = document.get("action"), document.get("detail")
    day = day_of(document.get("at"))
    if day is None or action not in KINDS:
        return
    given = detail.get("notes") if isinstance(detail, dict) and action == "block.read" else None
    before, notes = counts.get((day, str(action)), (0, 0))
    counts[day, str(action)] = (before + 1, notes + (len(given) if isinstance(given, list) else 0))


def add(tx: Tx, counts: Mapping[tuple[int, str], tuple[int, int]]) -> None:
    """Adds (count, notes) to (day, action)."""
    columns = log_count.c
    for (day, action), (count, notes) in sorted(counts.items()):
        mine = (columns.space_id == tx.space_id, columns.day == day, columns.action == action)
        more = {"count": columns.count + count, "notes": columns.notes + notes}
        if tx.write(update(log_count).where(*mine).values(**more)) == 0:
            row = {"space_id": tx.space_id, "day": day, "action": action, "count": count, "notes": notes}
            tx.write(insert(log_count).values(row))


def day_of(at: object) -> int | None:
    """The day of an RFC 3339 moment in UTC; None for what is none, in an altered log."""
    try:
        moment = datetime.fromisoformat(str(at))
        return from_datetime(moment) // DAY * DAY
    except ValueError:
        return None
