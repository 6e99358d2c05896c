"""The whole database as one SQLite file, and back: what a backup holds, whichever database it was taken from.

SQLite copies its own pages while others write. From PostgreSQL every row of one snapshot goes into a file of the same
schema; no program of PostgreSQL's is needed, and the file can be read, verified and restored anywhere.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, LargeBinary, Table, select, text

from tarimba.storage import migrate
from tarimba.storage.engine import Database, DatabaseError, available
from tarimba.storage.schema import metadata
from tarimba.storage.tables import space

# Rows held in memory at once: a row of bytes can have megabytes.
_ROWS: Final = 1_000
_LARGE_ROWS: Final = 8
_WAIT: Final = "10s"
_LOOKS: Final = 30
_PAUSE: Final = text("SELECT pg_sleep(0.1)")
# The view of connections stays as it was first seen in a transaction until it is asked for anew.
_FRESH: Final = text("SELECT pg_stat_clear_snapshot()")
_OTHERS: Final = text(
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)


def to_file(database: Database, path: Path) -> None:
    """Writes everything that is committed now into a new SQLite file; readers and writers go on meanwhile.

    Raises `DatabaseError` for a damaged database or one of another schema, 503 `unavailable`, and `OSError`.
    """
    require_present_schema(database)
    if database.is_sqlite:
        _copy_pages(database, path)
    else:
        _copy_rows(database, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as copy:
        # One file, without a log of changes beside it.
        copy.execute("PRAGMA journal_mode=DELETE")
        if copy.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise DatabaseError(
                "The database file is damaged, so no backup was made of it: run `tarimba receipts verify`, and keep "
                "the backups that you have."
            )


def require_present_schema(database: Database) -> None:
    """Raises `DatabaseError` when the schema is older or newer than this version's, and 503 `unavailable`."""
    if migrate.state(database).revision != migrate.HEAD:
        raise DatabaseError(
            "The database is of another version's schema: take the backup with the version that serves it, before you "
            "upgrade."
        )


def from_file(path: Path, database: Database, *, replaces: bool) -> None:
    """Fills a PostgreSQL database with the rows of a file of this schema, all or nothing.

    `replaces` lets go of what is there. Raises `DatabaseError`: something is there, or others are connected to it.
    """
    migrate.upgrade(database)
    # What looked at the revision would count as somebody else's connection.
    database.read_engine.dispose()
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as file,
        _told(),
        database.write() as connection,
    ):
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text(f"SET LOCAL lock_timeout = '{_WAIT}'"))
        require_alone(connection)
        if not replaces and connection.execute(select(space.c.space_id).limit(1)).first() is not None:
            raise DatabaseError(
                "The database holds a space already: restore into an empty one, or --replace."
            )
        names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
        connection.execute(text(f"TRUNCATE {names}"))
        for table in metadata.sorted_tables:
            _load(connection, file, table)


def require_alone(connection: Connection) -> None:
    """Raises `DatabaseError` when anybody else is connected to this PostgreSQL database."""
    for _ in range(_LOOKS):
        connection.execute(_FRESH)
        if not connection.execute(_OTHERS).scalar():
            return
        # Whoever has just gone, this process itself too, is counted for a moment longer.
        connection.execute(_PAUSE)
    raise DatabaseError("Others are connected to the database: stop every server and worker first.")


def is_empty(database: Database) -> bool:
    """Whether the database holds no space: nothing of ours, or a schema that nobody has used yet."""
    with database.read() as connection:
        if migrate.current_revision(connection) is None:
            return True
        return connection.execute(select(space.c.space_id).limit(1)).first() is None


def _copy_pages(database: Database, path: Path) -> None:
    with available(), closing(sqlite3.connect(path, isolation_level=None)) as target:
        source = database.read_engine.raw_connection()
        try:
            driver = source.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            # All pages in one step: one snapshot, however much is written meanwhile.
            driver.backup(target)
        except sqlite3.DatabaseError as error:
            raise DatabaseError(
                "The database file could not be read whole, so no backup was made of it."
            ) from error
        finally:
            source.close()


def _copy_rows(database: Database, path: Path) -> None:
    file = Database(f"sqlite:///{path}")
    try:
        migrate.upgrade(file)
    finally:
        file.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as target, database.read() as source:
        # A file that was not finished is thrown away, so nothing is brought to the disk in between.
        target.execute("PRAGMA synchronous=OFF")
        target.execute("BEGIN")
        for table in metadata.sorted_tables:
            target.execute(f'DELETE FROM "{table.name}"')  # noqa: S608 - a name of ours
            marks = ", ".join("?" * len(table.columns))
            statement = f'INSERT INTO "{table.name}" ({_names(table)}) VALUES ({marks})'  # noqa: S608 - likewise
            target.executemany(statement, _rows(source, table))
        target.execute("COMMIT")


def _rows(source: Connection, table: Table) -> Iterator[tuple[Any, ...]]:
    query = select(table).execution_options(yield_per=_at_once(table))
    return (tuple(row) for row in source.execute(query))


def _load(connection: Connection, file: sqlite3.Connection, table: Table) -> None:
    cursor: Any = connection.connection.cursor()
    rows = file.execute(f'SELECT {_names(table)} FROM "{table.name}"')  # noqa: S608 - names of ours
    with cursor, cursor.copy(f'COPY "{table.name}" ({_names(table)}) FROM STDIN') as copy:
        for row in rows:
            copy.write_row(row)


@contextmanager
def _told() -> Iterator[None]:
    """Says in a sentence what the driver refuses while rows go in: they do not pass through SQLAlchemy."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("psycopg"):
            raise
        raise DatabaseError(
            "PostgreSQL did not take the rows of the backup, and nothing was changed: look into its log. A text with a "
            "zero character can be restored into SQLite alone."
        ) from error


def _names(table: Table) -> str:
    return ", ".join(f'"{column.name}"' for column in table.columns)


def _at_once(table: Table) -> int:
    has_bytes = any(isinstance(column.type, LargeBinary) for column in table.columns)
    return _LARGE_ROWS if has_bytes else _ROWS
