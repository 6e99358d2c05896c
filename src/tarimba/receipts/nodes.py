"""Storing the roots of complete subtrees, close behind the log: what makes a proof short work."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, func, select

from tarimba.kernel import Kernel
from tarimba.receipts.tree import LEVELS, WIDTH, LogTree
from tarimba.storage import Tx
from tarimba.storage.dialects import insert_new
from tarimba.storage.tables import log_node, space_head

# 16 chunks are some 10 ms of hashing, and their rows 2 ms under the lock of the space.
_PIECE: Final = 16
_SPACES: Final = 100


def grow(kernel: Kernel) -> bool:
    """Stores some roots in each space that has complete subtrees without one. Whether there may be more."""
    with kernel.database.read() as connection:
        stored = select(func.coalesce(func.max(log_node.c.place) + 1, 0)).where(
            log_node.c.space_id == space_head.c.space_id, log_node.c.level == 1
        )
        trails = space_head.c.size >= WIDTH * (stored.scalar_subquery() + 1)
        spaces = connection.scalars(select(space_head.c.space_id).where(trails).limit(_SPACES)).all()
    grown = [_grow(kernel, space_id) for space_id in spaces]
    return any(grown)


def _grow(kernel: Kernel, space_id: str) -> bool:
    """One piece of one space. Derived, so it leaves no receipt."""
    with kernel.database.read() as connection:
        rows = _missing(kernel, connection, space_id)
    if rows:
        kernel.writer.commit(space_id, lambda tx: _store(tx, rows))
    return len(rows) >= _PIECE


def _missing(kernel: Kernel, connection: Connection, space_id: str) -> list[dict[str, Any]]:
    tree, rows = LogTree(connection, space_id, kernel.cold), []
    complete = connection.scalar(select(space_head.c.size).where(space_head.c.space_id == space_id)) or 0
    for level in range(1, LEVELS + 1):
        complete //= WIDTH
        first = _next(connection, space_id, level)
        # The level below is stored up to its own piece of this time; what is above waits for it.
        complete = min(complete, first + _PIECE)
        for place in range(first, complete):
            found = tree.computed(level, place)
            rows.append({"space_id": space_id, "level": level, "place": place, "hash": found})
    return rows


def _next(connection: Connection, space_id: str, level: int) -> int:
    mine: tuple[ColumnElement[bool], ...] = (log_node.c.space_id == space_id, log_node.c.level == level)
    last = connection.scalar(select(func.max(log_node.c.place)).where(*mine))
    return 0 if last is None else last + 1


def _store(tx: Tx, rows: list[dict[str, Any]]) -> None:
    """Another process may have stored the same."""
    for row in rows:
        tx.write(insert_new(tx.connection, log_node, row))
