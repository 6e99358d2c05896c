"""The bounded set of threads."""

import asyncio
import threading
from collections.abc import Iterator
from functools import partial

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


@pytest.mark.promise("bounded-waiting")
def test_what_waited_too_long_is_refused_and_never_begun(
    one: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarimba.http.threads.QUEUE_SECONDS", 0.01)
    go, busy = threading.Event(), threading.Event()
    begun: list[str] = []

    def block() -> None:
        busy.set()
        go.wait()

    async def scene() -> None:
        first = one.run(block)
        busy.wait()
        late = one.run(lambda: begun.append("late"))
        with pytest.raises(Refusal, match="too many requests"):
            await late
        go.set()
        await first
        assert await one.run(lambda: "next") == "next"

    asyncio.run(scene())
    assert begun == []


@pytest.mark.promise("fair-between-spaces")
def test_spaces_take_turns() -> None:
    threads = Threads(1, 100, "turns")
    go, busy = threading.Event(), threading.Event()
    order: list[str] = []

    def block() -> None:
        busy.set()
        go.wait()

    async def scene() -> None:
        jobs = [threads.run(block)]
        busy.wait()
        names = ("busy", "busy", "busy", "quiet")
        jobs += [threads.run(partial(order.append, name), name) for name in names]
        go.set()
        await asyncio.gather(*jobs)

    asyncio.run(scene())
    threads.close()
    assert order == ["busy", "quiet", "busy", "busy"]
