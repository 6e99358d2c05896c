"""Hot reads of the block through the whole application: no query of their own, receipts by the batch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from sqlalchemy import event

from tests.contract.api.served import Api
from tests.e2e.company import MEMORY, Company, Kept, require_kept

# The lock of the space with its numbers, the receipts, the numbers again.
BATCH = ["UPDATE space_head", "INSERT INTO", "UPDATE space_head"]


@contextmanager
def statements(api: Api) -> Iterator[list[tuple[str, str]]]:
    """Everything that is sent to the database within the block: by which engine, and its first two words."""
    database, seen = api.kernel.database, []

    def listener(name: str) -> Any:
        def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
            seen.append((name, " ".join(statement.split()[:2])))

        return note

    listeners = [
        (engine, listener(name))
        for name, engine in (("read", database.read_engine), ("write", database.write_engine))
    ]
    for engine, hears in listeners:
        event.listen(engine, "before_cursor_execute", hears)
    yield seen
    for engine, hears in listeners:
        event.remove(engine, "before_cursor_execute", hears)


def read_at_once(api: Api, company: Company, count: int) -> list[httpx.Response]:
    async def all_of_them() -> list[httpx.Response]:
        limits = httpx.Limits(max_connections=count)
        async with httpx.AsyncClient(base_url=api.http.base_url, limits=limits, timeout=120) as client:
            headers = company.headers("billing")
            urls = [f"{MEMORY}/block?conversation_id=c-{number}" for number in range(count)]
            return await asyncio.gather(*(client.get(url, headers=headers) for url in urls))

    return asyncio.run(all_of_them())


@pytest.mark.promise("hot-read-no-query")
def test_many_hot_reads_share_the_statements_of_their_batches(api: Api, company: Company) -> None:
    api.write(company)
    first = api.call(company, "billing", "GET", f"{MEMORY}/block")
    with statements(api) as seen:
        answers = read_at_once(api, company, 60)
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.headers["etag"] for answer in answers} == {first.headers["etag"]}
    done = [words for _, words in seen if not words.startswith("BEGIN")]
    assert {engine for engine, _ in seen} == {"write"}
    batches = len(done) // len(BATCH)
    assert done == BATCH * batches
    assert batches < len(answers)
    require_kept(api.kernel, company, [Kept.of(answer) for answer in answers])
