"""The door of the slice: what vouches for the log."""

from __future__ import annotations

from tarimba.proof.bundles import bundle, proof
from tarimba.proof.checking import KIND as CHECK
from tarimba.proof.checking import check, checks, order, work
from tarimba.proof.checkpoints import consistency, latest, make, upkeep
from tarimba.proof.signing import origin_of, public_keys, rotate

__all__ = [
    "CHECK", "bundle", "check", "checks", "consistency", "latest", "make", "order", "origin_of", "proof",
    "public_keys", "rotate", "upkeep", "work",
]  # fmt: skip
