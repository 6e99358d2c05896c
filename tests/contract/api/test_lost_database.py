"""A database that goes away in the middle of a batch: 503 for who waited, and on as if nothing had been."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.storage import Tx
from tests.e2e.company import Place, found_in


@pytest.fixture
def kernel(postgres_url: str, tmp_path: Path) -> Iterator[Kernel]:
    with Place(tmp_path, postgres_url).kernel() as opened:
        yield opened


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_lost_connection_is_503_whoever_finds_it(kernel: Kernel, postgres_url: str, goes_on: bool) -> None:
    """`goes_on`: the use case itself meets the lost connection, else the commit does."""
    company = found_in(kernel)

    def cut(tx: Tx) -> None:
        pid = tx.connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        with psycopg.connect(postgres_url, autocommit=True) as other:
            # It returns when the backend has ended, so no statement can come before that.
            other.execute("SELECT pg_terminate_backend(%s, 60000)", [pid])
        if goes_on:
            tx.connection.exec_driver_sql("SELECT 1")

    for _ in range(2):
        with pytest.raises(Refusal) as raised:
            kernel.writer.commit(company.space_id, cut)
        assert (raised.value.code, raised.value.retry_after) == ("unavailable", 1)
        assert kernel.writer.commit(company.space_id, lambda tx: tx.space_id) == company.space_id
