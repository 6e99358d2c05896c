"""The database: one writer connection and pooled readers, on SQLite or PostgreSQL."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, PendingRollbackError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.pool import NullPool, QueuePool

from tarimba.errors import Refusal

BUSY_MS = 15_000
_READERS = 8
# How long a transaction waits for one of the pool's connections: a caller hears soon that all are taken.
_POOL_SECONDS = 5
# How long a transaction may wait for a lock, for one statement, and for us. A batch takes several seconds only when
# something is wrong: it fails before those who wait for it give up, instead of stalling every writer of a space.
# What is acknowledged must be on the disk, whatever somebody sets for the server, the role or the database.
_LOCAL = (
    "SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '{statement}s'; "
    "SET LOCAL idle_in_transaction_session_timeout = '60s'"
)
_WRITE_SECONDS = 25
# Some reads go through a whole log.
_READ_SECONDS = 120
# A server that is gone without a word is noticed within some twenty seconds, whatever it was asked last.
_REACHING = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
# Of a database that turned into one for reading alone, as after a takeover; all else of its class is a mistake of ours.
_READ_ONLY = "25006"


class DatabaseError(Exception):
    """The database can't be used as it is set up. Carries a sentence for the operator."""


class Database:
    """Opens transactions. `write()` is for the writer alone; `read()` gives a snapshot that can't write."""

    def __init__(self, url: str, *, readers: int = _READERS, direct: str | None = None) -> None:
        self._url = _known(url)
        self._direct = None if direct is None else _known(direct)
        self.is_sqlite = self._url.get_backend_name() == "sqlite"
        make = _sqlite_engine if self.is_sqlite else _postgres_engine
        self.write_engine = make(self._url, writer=True, size=1)
        self.read_engine = make(self._url, writer=False, size=readers)
        self._pooled = threading.Event()
        if not self.is_sqlite:
            for engine in (self.write_engine, self.read_engine):
                _find_poolers(engine, self._pooled)

    @property
    def file(self) -> Path:
        """The SQLite file. Only on SQLite."""
        return Path(str(self._url.database))

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that commits durably on leaving, or rolls back."""
        try:
            with available(), self.write_engine.begin() as connection:
                yield connection
        except Refusal as refusal:
            if _is_of_the_disk(refusal.__cause__):
                # The system may call a later sync a success though what failed is lost. Nothing is taken over from
                # what this connection believes: the next one reads the log of changes anew, and writes again
                # whatever lies behind its last commit.
                self.write_engine.dispose()
            raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One read-only snapshot."""
        with available(), self.read_engine.connect() as connection:
            yield connection

    @contextmanager
    def maintenance(self) -> Iterator[Connection]:
        """A connection of its own, without a transaction: for what PostgreSQL does only outside of one.

        It waits for a lock at most two seconds, since others queue behind it, and else as long as it takes. Raises 503
        where there is no such connection: see `has_sessions`.
        """
        if not self.has_sessions:
            raise Refusal("unavailable", "This needs TARIMBA_DB_DIRECT, an address past the pooler.")
        options = "-c lock_timeout=2s -c statement_timeout=0"
        engine = create_engine(
            self._direct or self._url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
            connect_args={"options": options, **_REACHING},
        )
        with available(), engine.connect() as connection:
            yield connection

    @property
    def has_sessions(self) -> bool:
        """Whether a connection can be had that no pooler hands to somebody else between two statements."""
        return self._direct is not None or not self._pooled.is_set()

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
    except NoConnectionError as error:
        raise Refusal(
            "unavailable", "All connections to the database are in use. Try again.", retry_after=1
        ) from error
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
    is_read_only = getattr(error.orig, "sqlstate", None) == _READ_ONLY
    return is_read_only or type(error).__name__ in ("OperationalError", "InterfaceError")


def _is_of_the_disk(error: BaseException | None) -> bool:
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_IOERR


def _known(url: str) -> URL:
    """The address with its driver. Raises `DatabaseError`."""
    made = make_url(url)
    name = made.get_backend_name()
    if name == "postgresql":
        return made.set(drivername="postgresql+psycopg")
    if name != "sqlite" or not made.database:
        raise DatabaseError("The database URL must be sqlite:///FILE or postgresql://...")
    return made


def _sqlite_engine(url: Any, *, writer: bool, size: int) -> Engine:
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=2 if writer else 16,
        pool_timeout=_POOL_SECONDS,
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
    engine = create_engine(
        url,
        pool_size=size,
        max_overflow=2 if writer else 16,
        pool_timeout=_POOL_SECONDS,
        pool_pre_ping=True,
        hide_parameters=True,
        # The driver begins nothing: what a transaction needs goes with our own BEGIN, in one round trip. It holds for
        # the transaction alone, since a pooler gives the next one another session, and what is set for a session to
        # somebody else; and poolers refuse options that come with the connection.
        connect_args={"autocommit": True, **_REACHING},
    )
    mode = "READ COMMITTED" if writer else "REPEATABLE READ, READ ONLY"
    seconds = _WRITE_SECONDS if writer else _READ_SECONDS
    begin = f"BEGIN ISOLATION LEVEL {mode}; {_LOCAL.format(statement=seconds)}"

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _find_poolers(engine: Engine, pooled: threading.Event) -> None:
    """Sets `pooled` when something between us and the database hands sessions around, as PgBouncer does.

    It answers the connection with a number that is not the session's. A statement that was prepared in one session
    is not there in the next, so none is prepared then.
    """

    @event.listens_for(engine, "connect")
    def _look(connection: Any, _record: object) -> None:
        session = connection.execute("SELECT pg_backend_pid()").fetchone()[0]
        if session != connection.info.backend_pid:
            connection.prepare_threshold = None
            pooled.set()
