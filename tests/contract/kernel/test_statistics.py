"""PostgreSQL plans by what a table holds now, not by what it held when it was counted."""

import pytest
from sqlalchemy import create_engine, text

from tarimba.clock import Clock
from tarimba.storage import Database, migrate
from tarimba.storage.statistics import Statistics

_COUNTED = text("SELECT reltuples FROM pg_class WHERE relname = 'sign_in_failure'")


@pytest.mark.promise("graph-flat")
def test_a_table_that_was_counted_nearly_empty_is_counted_again(postgres_url: str) -> None:
    database = Database(postgres_url)
    migrate.upgrade(database)
    owner = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with owner.begin() as connection:
        connection.execute(text("INSERT INTO sign_in_failure VALUES ('one', 1, 1)"))
        connection.execute(text("ANALYZE sign_in_failure"))
        many = "INSERT INTO sign_in_failure SELECT n::text, 1, 1 FROM generate_series(1, 3000) AS n"
        connection.execute(text(many))
        # A connection tells what it changed once a second or when it has ended, which nobody waits for; so it is
        # asked to tell with this commit.
        connection.execute(text("SELECT pg_stat_force_next_flush()"))
    owner.dispose()
    assert not Statistics(database, Clock()).piece()
    with database.read() as connection:
        assert connection.scalar(_COUNTED) >= 3000
    database.close()
