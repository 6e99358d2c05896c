"""The door of the slice: what vouches for the log."""

from __future__ import annotations

from tarimba.proof.checking import KIND as CHECK
from tarimba.proof.checking import check, checks, order, work

__all__ = ["CHECK", "check", "checks", "order", "work"]
