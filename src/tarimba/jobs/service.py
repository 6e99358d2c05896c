"""The door of the slice: work that somebody asked for (jobs), and work that recurs by itself (upkeep)."""

from __future__ import annotations

from tarimba.jobs.queue import enqueue, enqueue_held, finish, hold, keep
from tarimba.jobs.upkeep import Upkeep
from tarimba.jobs.worker import Worker

__all__ = ["Upkeep", "Worker", "enqueue", "enqueue_held", "finish", "hold", "keep"]
