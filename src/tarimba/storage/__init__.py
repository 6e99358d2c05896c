"""Storage: the engine, the tables, and transactions."""

from tarimba.storage.engine import Database, DatabaseError
from tarimba.storage.transactions import Entry, Head, Tx, UnreceiptedWriteError

__all__ = ["Database", "DatabaseError", "Entry", "Head", "Tx", "UnreceiptedWriteError"]
