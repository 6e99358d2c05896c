"""How far the work behind the requests trails, over all spaces: counts and times, for who runs the machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, bindparam, func, or_, select

from tarimba.storage.tables import job

_DUE: Final = (
    select(job.c.kind, func.count().label("waiting"), func.min(job.c.run_after).label("since"))
    .where(
        job.c.state == "ready",
        job.c.run_after <= bindparam("now"),
        or_(job.c.leased_until.is_(None), job.c.leased_until <= bindparam("now")),
    )
    .group_by(job.c.kind)
)


def due(connection: Connection, now: int) -> Mapping[str, tuple[int, int]]:
    """By the kind: how many jobs are due and not begun, and how long the oldest has been, in microseconds."""
    rows = connection.execute(_DUE, {"now": now})
    return {row.kind: (row.waiting, max(0, now - row.since)) for row in rows}
