"""The door of the slice: work that somebody asked for (jobs), and work that recurs by itself (upkeep)."""

from __future__ import annotations

from tarimba.jobs.leases import Leases
from tarimba.jobs.listing import list_jobs
from tarimba.jobs.measuring import due
from tarimba.jobs.queue import (
    drop,
    enqueue,
    enqueue_held,
    finish,
    finish_waiting,
    hold,
    is_asked_for,
    keep,
    waiting,
)
from tarimba.jobs.upkeep import Upkeep
from tarimba.jobs.worker import Worker, run

__all__ = [
    "Leases", "Upkeep", "Worker", "drop", "due", "enqueue", "enqueue_held", "finish", "finish_waiting", "hold",
    "is_asked_for", "keep", "list_jobs", "run", "waiting",
]  # fmt: skip
