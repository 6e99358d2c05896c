"""The door of the slice: recording conversations and tasks, reading them back, forgetting who was in them."""

from __future__ import annotations

from tarimba.conversations.recording import record
from tarimba.conversations.records import finished_tasks, operations_of, record_of

__all__ = ["finished_tasks", "operations_of", "record", "record_of"]
