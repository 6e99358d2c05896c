"""Connections: what a transaction is given, what happens when there is none, and what a pooler leaves possible."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from sqlalchemy import text

from tarimba.errors import Refusal
from tarimba.storage import Database, engine, files
from tests.fixtures.pooler import pooled


@pytest.mark.promise("faults-told")
def test_when_all_connections_are_in_use_the_next_is_refused(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_POOL_SECONDS", 0.01)
    database = Database(database_url, readers=1)
    with ExitStack() as taken:

        def take_all() -> None:
            while True:
                taken.enter_context(database.read())

        with pytest.raises(Refusal, match="in use") as refused:
            take_all()
        assert (refused.value.code, refused.value.retry_after) == ("unavailable", 1)
    with database.read() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
    database.close()


@pytest.mark.promise("faults-told")
def test_a_database_for_reading_alone_is_one_that_can_not_be_used_now(postgres_url: str) -> None:
    database = Database(postgres_url)

    def write() -> None:
        with database.write() as connection:
            connection.exec_driver_sql("SET LOCAL transaction_read_only = on")
            connection.exec_driver_sql("CREATE TABLE one (one int)")

    with pytest.raises(Refusal, match="can't write") as refused:
        write()
    assert refused.value.code == "unavailable"
    database.close()


@pytest.mark.promise("behind-a-pooler")
def test_a_pooler_is_noticed_and_what_needs_a_session_goes_past_it(postgres_url: str) -> None:
    with pooled(postgres_url) as url:
        behind, beside = Database(url), Database(url, direct=postgres_url)
        straight = Database(postgres_url)
        for database in (behind, beside, straight):
            with database.write() as connection:
                limits = [
                    connection.scalar(text(f"SHOW {name}")) for name in ("lock_timeout", "synchronous_commit")
                ]
                assert limits == ["10s", "on"]
        assert [one.has_sessions for one in (behind, beside, straight)] == [False, True, True]
        assert files.clean(behind, "forget") == files.POOLED
        with pytest.raises(Refusal, match="TARIMBA_DB_DIRECT"), behind.maintenance():
            pass
        with beside.maintenance() as connection:
            assert connection.scalar(text("SHOW lock_timeout")) == "2s"
        for database in (behind, beside, straight):
            database.close()
