"""Waiting for news: looks until there are some, holds no thread, ends with its caller and is bounded."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import pytest

from tarimba.errors import Refusal
from tarimba.http import waiting
from tarimba.http.body import ClientGoneError
from tarimba.http.reply import Reply
from tarimba.http.route import NotYetError
from tarimba.http.waiting import Waiting

NEWS = Reply(200, [])


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 0.0)


async def stays() -> MutableMapping[str, Any]:
    """What is received of a caller who waits as well."""
    await asyncio.Event().wait()
    raise AssertionError


async def leaves() -> MutableMapping[str, Any]:
    return {"type": "http.disconnect"}


def after(looks: int) -> Callable[[float], Awaitable[Reply]]:
    """News at the look of that number."""
    seen: list[float] = []

    async def look(waited: float) -> Reply:
        assert not seen or waited >= seen[-1]
        seen.append(waited)
        if len(seen) < looks:
            raise NotYetError
        return NEWS

    return look


def test_it_looks_until_there_is_something_to_say() -> None:
    assert asyncio.run(Waiting().patiently(after(1), stays)) is NEWS
    assert asyncio.run(Waiting().patiently(after(5), stays)) is NEWS


def test_a_refusal_ends_it() -> None:
    async def look(waited: float) -> Reply:
        if not waited:
            raise NotYetError
        raise Refusal("unauthenticated", "The key was revoked meanwhile.")

    with pytest.raises(Refusal, match="revoked"):
        asyncio.run(Waiting().patiently(look, stays))


def test_who_leaves_waits_no_more() -> None:
    async def never(_waited: float) -> Reply:
        raise NotYetError

    with pytest.raises(ClientGoneError):
        asyncio.run(Waiting().patiently(never, leaves))


def test_no_more_than_so_many_wait_and_their_places_are_given_back() -> None:
    async def story() -> None:
        one = Waiting(most=1)
        held = asyncio.Event()

        async def until_let_go(_waited: float) -> Reply:
            if not held.is_set():
                raise NotYetError
            return NEWS

        first = asyncio.create_task(one.patiently(until_let_go, stays))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        with pytest.raises(Refusal) as refused:
            await one.patiently(after(2), stays)
        assert refused.value.retry_after == 5
        # Who need not wait is answered all the same.
        assert await one.patiently(after(1), stays) is NEWS
        held.set()
        assert await first is NEWS
        assert await one.patiently(after(2), stays) is NEWS

    asyncio.run(story())
