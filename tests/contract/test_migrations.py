"""The schema that migrations make is the schema that the code expects, on both databases."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from tarimba.storage import Database, DatabaseError, migrate
from tarimba.storage.tables import metadata

_SQLITE_SHAPE = ("SELECT sql FROM sqlite_master WHERE name NOT LIKE '%alembic%' ORDER BY name",)
_COLUMNS = """
SELECT table_name, ordinal_position, column_name, data_type, is_nullable, collation_name, column_default
FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'alembic_version'
ORDER BY 1, 2
"""
_CONSTRAINTS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'alembic_version' ORDER BY 1, 2
"""
_INDEXES = """
SELECT indexname, indexdef FROM pg_indexes
WHERE schemaname = 'public' AND tablename <> 'alembic_version' ORDER BY 1
"""


@pytest.fixture
def opened(bare_database_url: str) -> Iterator[Database]:
    database = Database(bare_database_url)
    yield database
    database.close()


def _shape(connection: Connection) -> list[tuple[object, ...]]:
    is_sqlite = connection.dialect.name == "sqlite"
    statements = _SQLITE_SHAPE if is_sqlite else (_COLUMNS, _CONSTRAINTS, _INDEXES)
    rows = [tuple(row) for statement in statements for row in connection.execute(text(statement))]
    # SQLite keeps the very words of CREATE: the order of constraints is no difference.
    return [tuple(sorted(str(row[0]).replace(",", "").split())) for row in rows] if is_sqlite else rows


def _drop_all(connection: Connection) -> None:
    connection.execute(text("DROP TABLE alembic_version"))
    metadata.drop_all(connection)


def test_the_migrated_schema_is_the_declared_one(opened: Database) -> None:
    migrate.upgrade(opened)
    with opened.write() as connection:
        migrated = _shape(connection)
        _drop_all(connection)
        metadata.create_all(connection)
        declared = _shape(connection)
    assert migrated == declared


def test_upgrading_twice_changes_nothing(opened: Database) -> None:
    migrate.upgrade(opened)
    with opened.read() as connection:
        before = _shape(connection)
    migrate.upgrade(opened)
    with opened.read() as connection:
        assert _shape(connection) == before
        assert migrate.current_revision(connection) == migrate.HEAD


def test_two_processes_may_upgrade_at_once(bare_database_url: str) -> None:
    databases = [Database(bare_database_url) for _ in range(4)]
    with ThreadPoolExecutor(len(databases)) as pool:
        list(pool.map(migrate.upgrade, databases))
    for database in databases:
        migrate.check(database)
        database.close()


def test_an_empty_database_is_told_to_be_upgraded(opened: Database) -> None:
    with pytest.raises(DatabaseError, match="tarimba db upgrade"):
        migrate.check(opened)


def test_a_schema_of_a_newer_version_is_refused(opened: Database) -> None:
    migrate.upgrade(opened)
    with opened.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for refused in (migrate.check, migrate.upgrade):
        with pytest.raises(DatabaseError, match="newer version"):
            refused(opened)


def test_the_known_revisions_are_the_files(tmp_path: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    found = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert found[::-1] == list(migrate.REVISIONS)
