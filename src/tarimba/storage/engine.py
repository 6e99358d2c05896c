"""The database: one writer connection and pooled readers, on SQLite or PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, PendingRollbackError
from sqlalchemy.pool import NullPool, QueuePool

from tarimba.errors import Refusal

BUSY_MS = 15_000
_READERS = 8


class DatabaseError(Exception):
    """The database can't be used as it is set up. Carries a sentence for the operator."""


class Database:
    """Opens transactions. `write()` is for the writer alone; `read()` gives a snapshot that can't write."""

    def __init__(self, url: str, *, readers: int = _READERS) -> None:
        self._url = make_url(url)
        name = self._url.get_backend_name()
        if name == "postgresql":
            self._url = self._url.set(drivername="postgresql+psycopg")
        elif name != "sqlite" or not self._url.database:
            raise DatabaseError("The database URL must be sqlite:///FILE or postgresql://...")
        self.is_sqlite = name == "sqlite"
        make = _sqlite_engine if self.is_sqlite else _postgres_engine
        self.write_engine = make(self._url, writer=True, size=1)
        self.read_engine = make(self._url, writer=False, size=readers)

    @property
    def file(self) -> Path:
        """The SQLite file. Only on SQLite."""
        return Path(str(self._url.database))

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that commits durably on leaving, or rolls back."""
        with available(), self.write_engine.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One read-only snapshot."""
        with available(), self.read_engine.connect() as connection:
            yield connection

    @contextmanager
    def maintenance(self) -> Iterator[Connection]:
        """A connection of its own, without a transaction: for what PostgreSQL does only outside of one.

        It waits for a lock at most two seconds, since others queue behind it, and else as long as it takes.
        """
        options = "-c lock_timeout=2s -c statement_timeout=0"
        engine = create_engine(
            self._url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
            connect_args={"options": options, "connect_timeout": 5},
        )
        with available(), engine.connect() as connection:
            yield connection

    def check_durability(self) -> None:
        """Refuses a PostgreSQL that may forget what it acknowledged. Raises `DatabaseError`."""
        if self.is_sqlite:
            return
        with self.read() as connection:
            for name in ("fsync", "full_page_writes", "synchronous_commit"):
                if connection.execute(text(f"SHOW {name}")).scalar_one() == "off":
                    raise DatabaseError(
                        f"PostgreSQL runs with {name} = off: receipts could be lost. Turn it on."
                    )

    def empty_log(self) -> bool:
        """On SQLite writes the log of changes back and empties it. False when a reader is in the way.

        With `secure_delete` the pages of the database hold nothing deleted; the log would, until it is truncated.
        """
        if not self.is_sqlite:
            return True
        with available():
            connection = self.write_engine.raw_connection()
            try:
                busy = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                connection.close()
        return not busy

    def close(self) -> None:
        self.write_engine.dispose()
        self.read_engine.dispose()


@contextmanager
def available() -> Iterator[None]:
    """Turns a database that is away, locked or full into 503 `unavailable`; programming errors pass."""
    try:
        yield
    except PendingRollbackError as error:
        # The connection was lost before this: whatever came next in the transaction only found that out.
        raise _away() from error
    except DBAPIError as error:
        if "file is not a database" in str(error.orig):
            raise DatabaseError("The database file is not one of SQLite: check --data or --db.") from error
        if error.connection_invalidated or _is_operational(error):
            raise _away() from error
        raise


def _away() -> Refusal:
    return Refusal(
        "unavailable", "The database does not answer or can't write now. Try again.", retry_after=1
    )


def _is_operational(error: DBAPIError) -> bool:
    return type(error).__name__ in ("OperationalError", "InterfaceError", "TimeoutError")


def _sqlite_engine(url: Any, *, writer: bool, size: int) -> Engine:
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=2 if writer else 16,
        hide_parameters=True,
        connect_args={"check_same_thread": False, "timeout": BUSY_MS / 1000, "isolation_level": None},
    )

    @event.listens_for(engine, "connect")
    def _pragmas(connection: sqlite3.Connection, _record: object) -> None:
        # WAL and FULL: a commit that was acknowledged has been fsync'd. secure_delete: erased text is
        # overwritten, not only unlinked.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")
        if not writer:
            connection.execute("PRAGMA query_only=ON")

    # The driver's own mode sends no BEGIN, so that every savepoint release would be a commit of its own.
    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writer else "BEGIN")

    return engine


def _postgres_engine(url: Any, *, writer: bool, size: int) -> Engine:
    # A batch takes several seconds only when something is wrong: fail it instead of stalling every writer.
    # What is acknowledged must be on the disk, whatever somebody sets for the server, the role or the database.
    options = (
        "-c synchronous_commit=on -c lock_timeout=10s -c statement_timeout=120s "
        "-c idle_in_transaction_session_timeout=60s"
    )
    return create_engine(
        url,
        pool_size=size,
        max_overflow=2 if writer else 16,
        pool_pre_ping=True,
        hide_parameters=True,
        isolation_level="READ COMMITTED" if writer else "REPEATABLE READ",
        execution_options={} if writer else {"postgresql_readonly": True},
        connect_args={"options": options, "connect_timeout": 5},
    )
