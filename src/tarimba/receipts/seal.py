"""The seal of a log: a MAC over its size and root, kept in the head row.

Somebody who can write to the database but does not hold the master key can't make the tree, the bundles and the
seal agree again after a change.
"""

from __future__ import annotations

import hmac

from tarimba.vault import SpaceKey


def seal(key: SpaceKey, size: int, root: bytes) -> bytes:
    """HMAC-SHA256 of `size` and `root` (32 bytes) under the key of the space."""
    return hmac.digest(key.raw, b"log head\0" + str(size).encode() + b"\0" + root, "sha256")
