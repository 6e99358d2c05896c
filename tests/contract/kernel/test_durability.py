"""PostgreSQL commits to the disk for us, whatever somebody sets for the server, the database or the role."""

import pytest
from sqlalchemy import create_engine, text

from tarimba.storage import Database


@pytest.mark.promise("durable-before-answer")
def test_commits_are_synchronous_though_the_database_says_otherwise(postgres_url: str) -> None:
    owner = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with owner.begin() as connection:
        name = connection.scalar(text("SELECT current_database()"))
        connection.execute(text(f'ALTER DATABASE "{name}" SET synchronous_commit = off'))
    owner.dispose()
    database = Database(postgres_url)
    with database.write() as connection:
        assert connection.scalar(text("SHOW synchronous_commit")) == "on"
    database.close()
