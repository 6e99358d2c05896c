"""The schema that migrations make is the schema that the code expects, on both databases."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
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


def _as_if_newer(opened: Database, floor: str) -> None:
    """What a version that we don't know would leave behind."""
    with opened.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        named = {"floor": floor}
        connection.execute(text("UPDATE installation SET value = :floor WHERE name = 'schema.floor'"), named)


@pytest.mark.promise("upgrades-one-by-one")
def test_a_newer_schema_that_leaves_this_version_behind_is_refused(opened: Database) -> None:
    migrate.upgrade(opened)
    _as_if_newer(opened, "9998")
    for refused in (migrate.check, migrate.upgrade):
        with pytest.raises(DatabaseError, match="newer version"):
            refused(opened)
    assert migrate.state(opened).problem


@pytest.mark.promise("upgrades-one-by-one")
def test_a_newer_schema_that_allows_this_version_is_worked_on_and_left_as_it_is(opened: Database) -> None:
    migrate.upgrade(opened)
    _as_if_newer(opened, migrate.HEAD)
    for accepted in (migrate.check, migrate.upgrade):
        accepted(opened)
    assert migrate.state(opened) == migrate.State("9999")
    assert migrate.state(opened).is_complete


def test_a_newer_schema_that_says_nothing_is_refused(opened: Database) -> None:
    migrate.upgrade(opened)
    with opened.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        connection.execute(text("DELETE FROM installation"))
    with pytest.raises(DatabaseError, match="newer version"):
        migrate.upgrade(opened)


def test_programs_below_the_floor_would_not_know_the_schema() -> None:
    assert migrate.FLOOR in migrate.REVISIONS


@pytest.mark.promise("upgrades-one-by-one")
def test_a_table_in_use_is_tried_again_and_given_up_in_words(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "_TABLE_WAIT", "10ms")
    opened, other = Database(postgres_url), Database(postgres_url)
    with closing(opened), closing(other):
        migrate.upgrade(opened)
        with opened.write() as connection:
            # As before its last revision, but for what that revision made: it stops at the first thing that is there.
            connection.execute(
                text("UPDATE alembic_version SET version_num = :to"), {"to": migrate.REVISIONS[-2]}
            )
        monkeypatch.setattr(migrate, "_run", _mark_as_done)
        with other.write() as connection:
            # Held by a transaction that reads it as it is: others may read, and nobody change it.
            connection.execute(text("LOCK TABLE alembic_version IN SHARE MODE"))
            monkeypatch.setattr(migrate, "_ATTEMPTS", 2)
            with pytest.raises(DatabaseError, match="keeps it in use"):
                migrate.upgrade(opened)
            monkeypatch.setattr(migrate, "_ATTEMPTS", 1000)
            with ThreadPoolExecutor(1) as pool:
                upgrading = pool.submit(migrate.upgrade, opened)
                connection.rollback()
                upgrading.result(60)
        assert migrate.state(opened) == migrate.State(migrate.HEAD)


def _mark_as_done(connection: Connection) -> None:
    connection.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": migrate.HEAD})


def test_the_known_revisions_are_the_files(tmp_path: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    found = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert found[::-1] == list(migrate.REVISIONS)
