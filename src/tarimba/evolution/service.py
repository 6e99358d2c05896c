"""The door of the slice: keeping what tasks came to, making drafts of skills from them, deciding on drafts."""

from __future__ import annotations

from tarimba.evolution.deciding import apply, refuse
from tarimba.evolution.listening import ROUND_JOB, listen
from tarimba.evolution.reading import list_drafts, read
from tarimba.evolution.rounds import DRAFT_JOB, ask
from tarimba.evolution.rounds import work as make_round
from tarimba.evolution.working import work as write_draft

__all__ = [
    "DRAFT_JOB", "ROUND_JOB", "apply", "ask", "list_drafts", "listen", "make_round", "read", "refuse", "write_draft",
]  # fmt: skip
