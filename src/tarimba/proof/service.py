"""The door of the slice: what vouches for the log."""

from __future__ import annotations

from tarimba.proof.bundles import bundle, proof
from tarimba.proof.checking import KIND as CHECK
from tarimba.proof.checking import check, checks, order, work
from tarimba.proof.checkpoints import consistency, latest, make, upkeep
from tarimba.proof.cooling import Cooling
from tarimba.proof.declaring import declared_witnesses
from tarimba.proof.signing import origin_of, public_keys, rotate
from tarimba.proof.tiles import entries, tile
from tarimba.proof.tiles import write as write_tiles
from tarimba.proof.witnessing import add as add_witness
from tarimba.proof.witnessing import cosigned, newest_cosigned, take, witnesses
from tarimba.proof.witnessing import remove as remove_witness

__all__ = [
    "CHECK", "Cooling", "add_witness", "bundle", "check", "checks", "consistency", "cosigned", "declared_witnesses",
    "entries", "latest", "make", "newest_cosigned", "order", "origin_of", "proof", "public_keys", "remove_witness",
    "rotate", "take", "tile", "upkeep", "witnesses", "work", "write_tiles",
]  # fmt: skip
