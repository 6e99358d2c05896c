"""The door of the slice: recording conversations and tasks, reading them back, forgetting who was in them."""

from __future__ import annotations

from tarimba.conversations.forgetting import FORGET, erase, erasure_json, forget, forget_again, read_request
from tarimba.conversations.keeping import Keeping, keep_up
from tarimba.conversations.recording import record
from tarimba.conversations.records import answers_of, are_kept, finished_tasks, operations_of, record_of

__all__ = [
    "FORGET", "Keeping", "answers_of", "are_kept", "erase", "erasure_json", "finished_tasks", "forget", "forget_again",
    "keep_up", "operations_of", "read_request", "record", "record_of",
]  # fmt: skip
