"""Bringing a database to the schema of this version, and refusing one that is of a newer version."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from tarimba.storage.engine import Database, DatabaseError

# Oldest first; a test compares them with the files. Known here so that a start does not load Alembic.
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
HEAD = REVISIONS[-1]
_SCRIPTS = Path(__file__).parent / "migrations"
_LOCK = 0x7461_7269_6D62_61  # "tarimba" in ASCII: the number of our advisory lock
_LOCK_WAIT = "60s"


def upgrade(database: Database) -> None:
    """Runs the revisions that are missing, in one transaction that a second process waits for.

    Raises `DatabaseError` for a schema of a newer version, and 503 `unavailable` when the database is away.
    """
    if _is_at_head(database):
        return
    with database.write() as connection:
        _lock(connection)
        current = _known(connection)
        if current != HEAD:
            _run(connection)


def check(database: Database) -> None:
    """Returns when the schema is this version's. Raises `DatabaseError` when it is newer or not there yet."""
    if not _is_at_head(database):
        raise DatabaseError("The database is not at this version's schema: run `tarimba db upgrade` first.")


def current_revision(connection: Connection) -> str | None:
    """The revision that the database is at; None when it holds no schema of ours."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if revision is None else str(revision)


def _is_at_head(database: Database) -> bool:
    with database.read() as connection:
        return _known(connection) == HEAD


def _known(connection: Connection) -> str | None:
    """The present revision. Raises `DatabaseError` when this version does not know it."""
    revision = current_revision(connection)
    if revision is not None and revision not in REVISIONS:
        raise DatabaseError(
            "The database was made or upgraded by a newer version of Tarimba: run that version, or restore "
            "the backup from before its upgrade."
        )
    return revision


def _lock(connection: Connection) -> None:
    """On PostgreSQL an advisory lock until the end of the transaction; SQLite's BEGIN IMMEDIATE is one."""
    if connection.dialect.name == "sqlite":
        return
    connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_WAIT}'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})


def _run(connection: Connection) -> None:
    # Alembic costs a fifth of a second to import, and nearly every start finds nothing to do.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
