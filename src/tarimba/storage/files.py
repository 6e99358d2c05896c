"""Erased text out of the files of the database, when its rows are gone.

SQLite overwrites what it deletes (`secure_delete`), but the log of changes holds it until it is written back and
truncated. PostgreSQL keeps deleted rows in the dead space of tables, samples of them in its statistics, and their
changes in the write-ahead log: the tables are written anew, and so is every segment of the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from sqlalchemy import Column, Connection
from sqlalchemy.exc import DBAPIError

from tarimba.clock import HOUR, SECOND
from tarimba.storage.engine import Database
from tarimba.storage.tables import metadata

Act = Literal["erase agent", "forget", "erasure of the member"]
"""What deleted the rows, as the data catalogue names it."""

# A reader or a replication slot still needs old pages: they are cleaned when it has ended.
IN_USE: Final = "files_in_use"
# The role of the database may not do what cleaning takes: its administrator must grant it.
ROLE: Final = "role_lacks_rights"
# Between us and the database is a pooler, and nothing says how to reach it without.
POOLED: Final = "pooler_in_the_way"

_LOCK_NOT_AVAILABLE: Final = "55P03"
_RIGHTS: Final = """
SELECT has_function_privilege('pg_switch_wal()', 'execute')
  AND has_function_privilege('pg_ls_waldir()', 'execute')
  AND pg_has_role(d.datdba, 'usage')
  AND EXISTS (SELECT FROM pg_roles r WHERE pg_has_role(r.oid, 'usage')
    AND (r.rolname = 'pg_read_all_stats' OR r.rolsuper))
  AND EXISTS (SELECT FROM pg_roles r WHERE pg_has_role(r.oid, 'usage')
    AND (r.rolname = 'pg_checkpoint' OR r.rolsuper))
FROM pg_database d WHERE d.datname = current_database()
"""
_OLDER: Final = """
SELECT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
    AND greatest(age(a.backend_xmin), age(a.backend_xid)) > age(CAST(%(mark)s AS xid)))
  OR EXISTS (SELECT FROM pg_prepared_xacts p WHERE age(p.transaction) > age(CAST(%(mark)s AS xid)))
  OR EXISTS (SELECT FROM pg_replication_slots s WHERE age(s.xmin) > age(CAST(%(mark)s AS xid)))
"""
_SEGMENT: Final = "SELECT pg_walfile_name(pg_current_wal_lsn())"
_SEGMENTS: Final = "SELECT name FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' ORDER BY name"
# A switch does nothing in a segment that nothing was written to.
_SWITCH: Final = "SELECT pg_logical_emit_message(false, 'tarimba', ''), pg_switch_wal()"


def clean(database: Database, act: Act) -> str | None:
    """None when nothing of what the act deleted is in the files, else what is in the way, as a code.

    On PostgreSQL it takes as long as writing anew every table that the act deletes from.
    """
    if database.is_sqlite:
        return None if database.empty_log() else IN_USE
    if not database.has_sessions:
        return POOLED
    with database.maintenance() as connection:
        try:
            return _clean(connection, act)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                return IN_USE
            raise


def again_after(left: str) -> int:
    """How long to wait with what is in the way, in microseconds: a reader ends soon, rights are granted by somebody."""
    return HOUR if left in (ROLE, POOLED) else 5 * SECOND


def _clean(connection: Connection, act: Act) -> str | None:
    if not connection.exec_driver_sql(_RIGHTS).scalar():
        return ROLE
    mark = connection.exec_driver_sql("SELECT pg_current_xact_id()::xid::text").scalar()
    # A table that is written anew keeps the rows that somebody's older snapshot may still look at.
    if connection.exec_driver_sql(_OLDER, {"mark": mark}).scalar():
        return IN_USE
    for table, columns in _erased(act).items():
        connection.exec_driver_sql(f"ALTER TABLE {table} {_forgetting(connection, columns)}")
        connection.exec_driver_sql(f"VACUUM (FULL) {table}")
    connection.exec_driver_sql("VACUUM (FULL) pg_catalog.pg_statistic")
    return _overwrite_log(connection)


def _erased(act: Act) -> dict[str, list[Column[Any]]]:
    """By its table, each column whose content goes with the act: the data catalogue says so."""
    found = {
        table.name: [column for column in table.columns if column.info["erased_by"] == act]
        for table in metadata.sorted_tables
    }
    return {name: columns for name, columns in found.items() if columns}


def _forgetting(connection: Connection, columns: Sequence[Column[Any]]) -> str:
    """What takes samples of the columns out of the statistics, and lets none of a text be taken again.

    Analysing an empty table leaves its old statistics; saying a column's type anew deletes them. By a digest rows are
    looked up, so those that stay may be sampled.
    """
    actions = [
        f"ALTER COLUMN {column.name} TYPE {column.type.compile(connection.dialect)}" for column in columns
    ]
    actions += [
        f"ALTER COLUMN {column.name} SET STATISTICS 0"
        for column in columns
        if column.info["holds"] != "digest"
    ]
    return ", ".join(actions)


def _overwrite_log(connection: Connection) -> str | None:
    """Makes the segments up to now unneeded, and writes over those that PostgreSQL keeps to use them again."""
    last = str(connection.exec_driver_sql(_SEGMENT).scalar())
    _switch_and_checkpoint(connection)
    names = connection.exec_driver_sql(_SEGMENTS).scalars().all()
    while str(connection.exec_driver_sql(_SEGMENT).scalar()) <= names[-1]:
        connection.exec_driver_sql(_SWITCH)
    _switch_and_checkpoint(connection)
    kept = connection.exec_driver_sql(_SEGMENTS).scalars().first()
    return IN_USE if kept is not None and kept <= last else None


def _switch_and_checkpoint(connection: Connection) -> None:
    connection.exec_driver_sql(_SWITCH)
    connection.exec_driver_sql("CHECKPOINT")
