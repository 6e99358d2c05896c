"""PostgreSQL ends sessions, restarts, has a row locked or no connection left, or is behind a pooler."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.e2e.company import Place, found
from tests.e2e.faults.asking import FREE, Promised, require_recovered, require_refused, under_load
from tests.fixtures.cluster import PostgresServer, throwaway_postgres
from tests.fixtures.pooler import pooled
from tests.fixtures.server import running_server

OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.mark.promise("faults-told")
def test_sessions_that_are_ended_under_load_lose_nothing(postgres_url: str, tmp_path: Path) -> None:
    place = Place(tmp_path, postgres_url)
    company, promised = found(place, **FREE), Promised()
    with running_server(place.data, place.db, env=place.environment) as server:
        with under_load(server, company, promised):
            for _ in range(5):
                promised.wait_for(len(promised.receipts) + 20)
                place.ask(OTHERS)
            promised.wait_for(len(promised.receipts) + 20)
        require_recovered(server, place, company, promised)


@pytest.mark.promise("faults-told")
def test_a_database_that_is_away_refuses_until_it_is_back(tmp_path: Path) -> None:
    with throwaway_postgres() as cluster:
        place = Place(tmp_path, cluster.create_database())
        company, promised = found(place, **FREE), Promised()
        with running_server(place.data, place.db, env=place.environment) as server:
            with under_load(server, company, promised):
                promised.wait_for(20)
                cluster.stop()
                require_refused(server, company)
                cluster.start()
                promised.wait_for(len(promised.receipts) + 20)
            require_recovered(server, place, company, promised)


@pytest.mark.nightly
@pytest.mark.promise("faults-told")
def test_a_space_that_somebody_holds_is_refused_and_goes_on(postgres_url: str, tmp_path: Path) -> None:
    place = Place(tmp_path, postgres_url)
    company, promised = found(place, **FREE), Promised()
    with running_server(place.data, place.db, env=place.environment) as server:
        with under_load(server, company, promised):
            promised.wait_for(20)
            with psycopg.connect(postgres_url) as other:
                other.execute("SELECT FROM space_head FOR UPDATE")
                require_refused(server, company)
            promised.wait_for(len(promised.receipts) + 20)
        require_recovered(server, place, company, promised)


@pytest.mark.promise("faults-told")
def test_a_server_without_a_connection_to_be_had_refuses(
    postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    place = Place(tmp_path, postgres_url)
    company, promised = found(place, **FREE), Promised()
    name = postgres_url.rsplit("/", 1)[1]
    with (
        running_server(place.data, place.db, env=place.environment) as server,
        psycopg.connect(postgres_server.url(), autocommit=True) as master,
        psycopg.connect(postgres_url, autocommit=True) as inside,
    ):
        master.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        inside.execute(OTHERS.encode())
        require_refused(server, company)
        master.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
        with under_load(server, company, promised):
            promised.wait_for(20)
        require_recovered(server, place, company, promised)


@pytest.mark.promise("behind-a-pooler")
def test_behind_a_pooler_nothing_is_lost_and_nothing_leaks(postgres_url: str, tmp_path: Path) -> None:
    with pooled(postgres_url) as url:
        place = Place(tmp_path, url)
        company, promised = found(place, **FREE), Promised()
        with running_server(place.data, url, env=place.environment) as server:
            with under_load(server, company, promised):
                promised.wait_for(200)
            require_recovered(server, place, company, promised)
        # What the server set for its transactions, whoever gets its sessions next does not find.
        with psycopg.connect(url) as other:
            found_there = [
                other.execute(f"SHOW {name}").fetchone() for name in ("lock_timeout", "statement_timeout")
            ]
        assert found_there == [("0",), ("0",)]
