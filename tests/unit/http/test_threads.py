"""The bounded set of threads."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from tarimba.errors import Refusal
from tarimba.http.threads import Threads


@pytest.fixture
def one() -> Iterator[Threads]:
    threads = Threads(1, 1, "one")
    yield threads
    threads.close()


def test_gives_results_and_raises_what_was_raised(one: Threads) -> None:
    async def scene() -> None:
        assert await one.run(lambda: threading.current_thread().name) == "one-0"
        with pytest.raises(ZeroDivisionError):
            await one.run(lambda: 1 // 0)
        assert await one.run(lambda: 5) == 5

    asyncio.run(scene())


def test_refuses_when_too_many_wait_and_recovers(one: Threads) -> None:
    go, busy = threading.Event(), threading.Event()

    def block() -> str:
        busy.set()
        go.wait()
        return "done"

    async def scene() -> None:
        first = one.run(block)
        busy.wait()
        second = one.run(lambda: "waited")
        with pytest.raises(Refusal, match="too many requests") as refused:
            one.run(lambda: "never")
        assert (refused.value.code, refused.value.retry_after) == ("unavailable", 1)
        go.set()
        assert [await first, await second] == ["done", "waited"]
        assert await one.run(lambda: "again") == "again"

    asyncio.run(scene())


def test_closing_finishes_what_is_queued_and_takes_no_more(one: Threads) -> None:
    async def scene() -> None:
        jobs = [one.run(lambda: "done")]
        await asyncio.to_thread(one.close)
        assert await jobs[0] == "done"
        with pytest.raises(Refusal):
            one.run(lambda: "never")
        one.open()
        assert await one.run(lambda: "again") == "again"

    asyncio.run(scene())


def test_a_caller_who_gave_up_and_a_loop_that_ended_harm_nobody(one: Threads) -> None:
    go, busy = threading.Event(), threading.Event()

    def block() -> None:
        busy.set()
        go.wait()

    async def give_up() -> None:
        one.run(block).cancel()
        busy.wait()

    async def ask() -> int:
        return await one.run(lambda: 5)

    asyncio.run(give_up())
    go.set()
    assert asyncio.run(ask()) == 5
