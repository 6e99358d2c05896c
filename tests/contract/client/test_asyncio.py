"""What only a client of asyncio can do: be cancelled, and be used from several event loops."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable

import pytest

from tarimba.client import AsyncTarimba, Budgets, Options
from tests.contract.client.tiny import TinyServer, answer, in_turn, silence, tiny_server

KEY = "tar_sk_test_0123456789abcdef_aSecretThatIsNoSecretOfAnybody12"
FOUND = answer("200 OK", b'{"notes":[]}')
ROOMY = Budgets(block=60, search=60, remember=60)


def open_client(server: TinyServer, *, connections: int = 32) -> AsyncTarimba:
    return AsyncTarimba(KEY, server.base_url, options=Options(budgets=ROOMY, connections=connections))


@pytest.mark.promise("client-asyncio")
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda client: client.agent_memory(), id="block"),
        pytest.param(lambda client: client.search_agent_memory("q"), id="search"),
        pytest.param(lambda client: client.remember("pitfall", "t", "b"), id="remember"),
    ],
)
def test_a_cancelled_call_ends_and_lets_go_of_its_connection(
    call: Callable[[AsyncTarimba], Awaitable[object]],
) -> None:
    async def cancel(client: AsyncTarimba) -> None:
        task = asyncio.ensure_future(call(client))
        assert await asyncio.to_thread(arrived.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.broken.wait, 30)
        assert (await client.search_agent_memory("q")).error is None
        await client.close()

    arrived = threading.Event()

    def never(connection: socket.socket) -> None:
        arrived.set()
        silence(connection)

    with tiny_server(in_turn(never, FOUND)) as server:
        asyncio.run(cancel(open_client(server)))


@pytest.mark.promise("client-asyncio")
def test_a_call_that_is_cancelled_between_two_attempts_makes_no_other() -> None:
    answered = threading.Event()

    def busy(connection: socket.socket) -> None:
        answer("429 Too Many Requests", headers="Retry-After: 50\r\n")(connection)
        answered.set()

    async def cancel(client: AsyncTarimba) -> None:
        task = asyncio.ensure_future(client.search_agent_memory("q"))
        assert await asyncio.to_thread(answered.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await client.close()

    with tiny_server(busy) as server:
        asyncio.run(cancel(open_client(server)))
        assert len(server.requests) == 1


@pytest.mark.promise("client-asyncio")
def test_one_client_serves_loops_one_after_the_other_and_leaves_none_of_their_connections() -> None:
    with tiny_server(FOUND) as server:
        client = open_client(server)
        for _ in range(3):
            assert asyncio.run(_errors(client, 2)) == [None, None]
            assert client._loops is not None
            assert client._loops._pools == {}
        asyncio.run(client.close())
        assert len(server.requests) == 6


@pytest.mark.promise("client-asyncio")
def test_one_client_serves_loops_of_several_threads_at_once() -> None:
    errors: list[str | None] = []
    with tiny_server(FOUND) as server:
        client = open_client(server)
        run = lambda: errors.extend(asyncio.run(_errors(client, 10)))  # noqa: E731
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        asyncio.run(client.close())
    assert errors == [None] * 40


@pytest.mark.promise("client-asyncio")
def test_many_tasks_share_few_connections() -> None:
    peers: set[int] = set()

    def note(connection: socket.socket) -> None:
        peers.add(connection.getpeername()[1])
        FOUND(connection)

    async def ask(client: AsyncTarimba) -> list[str | None]:
        async with client:
            found = await asyncio.gather(*(client.search_agent_memory("q") for _ in range(100)))
        return [one.error for one in found]

    with tiny_server(note) as server:
        assert asyncio.run(ask(open_client(server, connections=4))) == [None] * 100
    assert len(peers) <= 4


def test_a_closed_client_answers_closed() -> None:
    async def ask(client: AsyncTarimba) -> str | None:
        await client.close()
        return (await client.search_agent_memory("q")).error

    with tiny_server(FOUND) as server:
        assert asyncio.run(ask(open_client(server))) == "closed"
        assert not server.requests


async def _errors(client: AsyncTarimba, calls: int) -> list[str | None]:
    return [(await client.search_agent_memory("q")).error for _ in range(calls)]
