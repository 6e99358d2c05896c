"""Bringing a database to the schema of this version, and refusing one on which this version can't work.

A revision expands the schema: a process of the release before goes on working, and may start, while others are
exchanged one by one. What it leaves behind is taken away by a revision of a later release, which raises `FLOOR`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from tarimba.errors import Refusal
from tarimba.storage.engine import Database, DatabaseError

# Oldest first; a test compares them with the files. Known here so that a start does not load Alembic.
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010")
HEAD = REVISIONS[-1]
# The oldest revision whose programs work on the schema at HEAD. It is kept in the database, for programs that know
# less than we do: a revision that takes away or renames what one of them reads or writes names the first that does not.
FLOOR: Final = "0008"
_FLOOR_NOTE: Final = "schema.floor"
_SCRIPTS: Final = Path(__file__).parent / "migrations"
_LOCK: Final = 0x7461_7269_6D62_61  # "tarimba" in ASCII: the number of our advisory lock
_LOCK_WAIT: Final = "60s"
# Whoever wants a table that a change waits for waits behind the change. So it gives up early, and tries again.
_TABLE_WAIT: Final = "2s"
_ATTEMPTS: Final = 30
_PAUSE_SECONDS: Final = 1.0
# PostgreSQL's lock_not_available and deadlock_detected.
_IN_THE_WAY: Final = frozenset({"55P03", "40P01"})
_NEWER: Final = (
    "The database was made or upgraded by a newer version of Tarimba: run that version, or restore "
    "the backup from before its upgrade."
)
_BUSY: Final = (
    "A table could not be changed, since somebody keeps it in use: end long transactions (pg_stat_activity tells "
    "them) and try again. Nothing was changed."
)
_log = structlog.get_logger("tarimba.storage")


@dataclass(frozen=True, slots=True)
class State:
    """Where a database stands, as this version sees it. `problem` is the sentence that refuses it, if anything does."""

    revision: str | None
    problem: str | None = None

    @property
    def is_older(self) -> bool:
        """Whether revisions are missing."""
        return self.problem is None and (self.revision is None or self.revision in REVISIONS[:-1])

    @property
    def is_complete(self) -> bool:
        """Whether this version can work on it as it is: at its own revision, or at a newer one that allows it."""
        return self.problem is None and not self.is_older


def upgrade(database: Database) -> None:
    """Runs the revisions that are missing, in one transaction that a second process waits for.

    On PostgreSQL it waits two seconds for a table that is in use, lets those behind it through, and tries again, for a
    minute or two. Raises `DatabaseError` for a schema of a newer version that leaves this one behind and for a table
    that stays in use, and 503 `unavailable` when the database is away.
    """
    attempts = 0
    while not _accepted(database).is_complete:
        if attempts == _ATTEMPTS:
            raise DatabaseError(_BUSY)
        attempts += 1
        _try(database)


def check(database: Database) -> None:
    """Returns when this version can work on the schema. Raises `DatabaseError` when it can't, or can't yet."""
    if not _accepted(database).is_complete:
        raise DatabaseError("The database is not at this version's schema: run `tarimba db upgrade` first.")


def state(database: Database) -> State:
    """Where the database stands. Raises 503 `unavailable` when it is away."""
    with database.read() as connection:
        return state_of(connection)


def current_revision(connection: Connection) -> str | None:
    """The revision that the database is at; None when it holds no schema of ours."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if revision is None else str(revision)


def _accepted(database: Database) -> State:
    found = state(database)
    if found.problem is not None:
        raise DatabaseError(found.problem)
    if found.is_complete and found.revision != HEAD:
        _log.warning("schema.newer", revision=found.revision, known=HEAD)
    return found


def state_of(connection: Connection) -> State:
    """Where the database of a connection stands."""
    revision = current_revision(connection)
    if revision is None or revision in REVISIONS or _floor(connection) in REVISIONS:
        return State(revision)
    return State(revision, _NEWER)


def _floor(connection: Connection) -> str | None:
    """What a newer version wrote down for older ones."""
    query = text("SELECT value FROM installation WHERE name = :name")
    found = connection.execute(query, {"name": _FLOOR_NOTE}).scalar()
    return None if found is None else str(found)


def _try(database: Database) -> None:
    """Runs what is missing, or waits a moment where somebody was in the way."""
    try:
        with database.write() as connection:
            _bring(connection)
    except Refusal as refusal:
        if not _is_in_the_way(refusal):
            raise
        _log.info("schema.waiting")
        time.sleep(_PAUSE_SECONDS)


def _bring(connection: Connection) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    if not is_sqlite:
        # An advisory lock until the end of the transaction; SQLite's BEGIN IMMEDIATE is one.
        connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_WAIT}'"))
        # A change of a large table takes as long as it takes.
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        connection.execute(text(f"SET LOCAL lock_timeout = '{_TABLE_WAIT}'"))
    # Somebody else may have done it while we waited, a newer version even.
    if state_of(connection).is_older:
        _run(connection)
        _write_floor(connection)


def _write_floor(connection: Connection) -> None:
    named = {"name": _FLOOR_NOTE, "value": FLOOR}
    connection.execute(text("DELETE FROM installation WHERE name = :name"), named)
    connection.execute(text("INSERT INTO installation (name, value) VALUES (:name, :value)"), named)


def _is_in_the_way(refusal: Refusal) -> bool:
    cause = refusal.__cause__
    return isinstance(cause, DBAPIError) and getattr(cause.orig, "sqlstate", None) in _IN_THE_WAY


def _run(connection: Connection) -> None:
    # Alembic costs a fifth of a second to import, and nearly every start finds nothing to do.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
