"""What a use case may do inside the transaction: read, write, number, append to the log.

A `Tx` is one savepoint of a group commit. It exists only under the lock of its space, so what it counts can't
change until it has committed. Nothing that takes a `Tx` waits for anything but the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Executable, Row
from sqlalchemy.sql.dml import UpdateBase

from tarimba.storage.tables import GOVERNED, GOVERNED_WHEN_ADDED


class UnreceiptedWriteError(Exception):
    """A governed table was changed without a receipt: a fault of ours, so nothing is committed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One receipt, ready for the log: the hash of its leaf and the bytes that are stored for it."""

    receipt_id: str
    leaf: bytes
    stored: bytes


@dataclass(slots=True)
class Head:
    """A space's head row while the lock is held. `size` is the next receipt's position in the log."""

    space_id: str
    generation: int
    size: int
    counter: int
    now: int
    frontier: bytes
    entries: list[Entry] = field(default_factory=list)
    dirty: bool = False


class Tx:
    """The savepoint of one request. Its numbers reach the head only when the savepoint is released."""

    def __init__(self, connection: Connection, head: Head) -> None:
        self._connection = connection
        self._head = head
        self._generation = head.generation
        self._counter = head.counter
        self._entries: list[Entry] = []
        self._governed: set[str] = set()
        self.space_id = head.space_id
        self.now = head.now
        """The time of the space in microseconds: never earlier than any time given before."""

    @property
    def connection(self) -> Connection:
        """For queries that a store also runs outside a transaction. Never for a write."""
        return self._connection

    @property
    def generation(self) -> int:
        return self._generation

    def all(self, statement: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Row[Any]]:
        return self._connection.execute(statement, values).all()

    def first(self, statement: Executable, values: Mapping[str, Any] | None = None) -> Row[Any] | None:
        return self._connection.execute(statement, values).first()

    def scalar(self, statement: Executable, values: Mapping[str, Any] | None = None) -> Any:
        return self._connection.execute(statement, values).scalar()

    def write(self, statement: UpdateBase, rows: Sequence[Mapping[str, Any]] | None = None) -> int:
        """Runs an INSERT, UPDATE or DELETE (many times when `rows` is given). Returns the rows it changed."""
        table = str(statement.entity_description["name"])
        if table in GOVERNED and (statement.is_insert or table not in GOVERNED_WHEN_ADDED):
            self._governed.add(table)
        result = self._connection.execute(statement, rows) if rows else self._connection.execute(statement)
        return int(result.rowcount)

    def next_ordinal(self) -> int:
        """The next number of the space's own sequence: what lists, cursors and a note's age are ordered by."""
        self._counter += 1
        return self._counter

    def skip_ordinals(self, count: int) -> None:
        """Leaves out so many numbers of the sequence: what was given in a state that is lost is not given again."""
        self._counter += count

    @property
    def next_seq(self) -> int:
        """The position that the next appended receipt will have."""
        return self._head.size + len(self._entries)

    def append(self, entry: Entry) -> int:
        """Adds a receipt to the log. Returns its position (`seq`)."""
        self._entries.append(entry)
        return self.next_seq - 1

    def changed(self) -> None:
        """Makes every cache of the space invalid: something that a read depends on has changed."""
        self._generation = self._head.generation + 1

    def release(self) -> None:
        """Hands the numbers and receipts to the head. Raises `UnreceiptedWriteError`."""
        if self._governed and not self._entries:
            raise UnreceiptedWriteError(f"no receipt for a change of {', '.join(sorted(self._governed))}")
        head = self._head
        head.generation, head.counter = self._generation, self._counter
        head.size += len(self._entries)
        head.entries.extend(self._entries)
        head.dirty = True
