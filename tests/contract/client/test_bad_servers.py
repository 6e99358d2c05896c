"""The client against servers that are slow, broken, busy or gone, over real sockets.

None of these tests looks at a clock: the servers drip and wait until the client hangs up, so a call that is not
bounded never returns.
"""

import json
import socket
import threading
from collections.abc import Callable

import pytest

from tarimba.client import AsyncTarimba, Budgets, Options, Tarimba
from tests.contract.client.tiny import Behaviour, TinyServer, answer, drip, in_turn, silence, tiny_server
from tests.unit.client.kinds import Awaited, Client

KEY = "tar_sk_test_0123456789abcdef_aSecretThatIsNoSecretOfAnybody12"
BLOCK = json.dumps({"text": "t", "notes": [], "etag": "am-1", "tokens": 30, "enabled": True, "left_out": 0})
HEAD = b"HTTP/1.1 200 OK\r\n"
# Short enough for quick tests; the servers outlast any budget.
# Long enough to connect on a busy machine.
QUICK = Budgets(block=0.8, search=0.8, remember=0.8)
ROOMY = Budgets(block=30, search=30, remember=30)


KINDS = pytest.mark.parametrize("kind", ["threads", "asyncio"])


def open_client(server: TinyServer, budgets: Budgets, *, kind: str) -> Client:
    if kind == "threads":
        return _threaded(server, budgets)
    return Awaited(AsyncTarimba(KEY, server.base_url, options=_options(budgets)))


def _threaded(server: TinyServer, budgets: Budgets, *, connections: int = 32) -> Tarimba:
    return Tarimba(KEY, server.base_url, options=_options(budgets, connections))


def _options(budgets: Budgets, connections: int = 32) -> Options:
    return Options(budgets=budgets, connections=connections, sleep=lambda _: None)


@KINDS
@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(silence, id="says nothing"),
        pytest.param(drip(HEAD + b"Content-Length: 1000000\r\n\r\n", b"x"), id="drips the body"),
        pytest.param(drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"), id="drips chunks"),
        pytest.param(drip(HEAD, b"X: y\r\n"), id="drips headers"),
        pytest.param(drip(b"HTTP/1.1 ", b" "), id="drips the first line"),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda client: client.agent_memory().error, id="block"),
        pytest.param(lambda client: client.search_agent_memory("q").error, id="search"),
        pytest.param(lambda client: client.remember("pitfall", "t", "b").error, id="remember"),
    ],
)
def test_a_call_ends_with_its_budget_and_lets_go_of_the_connection(
    behaviour: Behaviour, call: Callable[[Client], str | None], kind: str
) -> None:
    with tiny_server(behaviour) as server, open_client(server, QUICK, kind=kind) as client:
        assert call(client) == "timeout"
        assert server.broken.wait(30)
        assert len(server.requests) == 1


def test_a_thread_that_was_given_up_makes_room_for_another() -> None:
    slow_once = in_turn(drip(HEAD, b"X: y\r\n"), answer("200 OK", BLOCK.encode()))
    with tiny_server(slow_once) as server, _threaded(server, QUICK, connections=1) as client:
        assert client.agent_memory().error == "timeout"
        assert server.broken.wait(30)
        lanes = client._lanes
        assert lanes is not None
        with lanes._free:
            assert lanes._free.wait_for(lambda: lanes._count == 0, 30)
        assert client.agent_memory().text == "t"


def test_callers_beyond_the_bound_wait_for_a_connection_and_no_longer_than_their_budget() -> None:
    arrived, let_go = threading.Event(), threading.Event()

    def hold(connection: socket.socket) -> None:
        arrived.set()
        assert let_go.wait(30)
        answer("200 OK", BLOCK.encode())(connection)

    held: list[str] = []
    with tiny_server(hold) as server, _threaded(server, ROOMY, connections=1) as client:
        first = threading.Thread(target=lambda: held.append(client.agent_memory().text))
        first.start()
        assert arrived.wait(30)
        impatient = Options(budgets=QUICK)
        client.settled.core._options = impatient
        assert client.search_agent_memory("q").error == "timeout"
        let_go.set()
        first.join()
        assert held == ["t"]
        assert len(server.requests) == 1


@KINDS
def test_a_connection_is_kept_and_used_again(kind: str) -> None:
    connections: set[int] = set()

    def note(connection: socket.socket) -> None:
        connections.add(connection.getpeername()[1])
        answer("200 OK", b'{"notes":[]}')(connection)

    with tiny_server(note) as server, open_client(server, ROOMY, kind=kind) as client:
        for _ in range(5):
            assert client.search_agent_memory("q").error is None
        assert (len(server.requests), len(connections)) == (5, 1)


@KINDS
def test_a_connection_that_the_server_closed_meanwhile_costs_no_call(kind: str) -> None:
    def once(connection: socket.socket) -> None:
        answer("200 OK", b'{"notes":[]}')(connection)
        connection.shutdown(socket.SHUT_RDWR)

    with tiny_server(once) as server, open_client(server, ROOMY, kind=kind) as client:
        assert [client.search_agent_memory("q").error for _ in range(5)] == [None] * 5


@KINDS
def test_a_server_that_recovers_is_asked_again_with_the_same_write(kind: str) -> None:
    failing = answer("500 Internal Server Error")
    busy = answer("429 Too Many Requests", headers="Retry-After: 0\r\n")
    stored = answer("201 Created", b'{"note":null,"proposal_id":"p1","warnings":[]}')
    with (
        tiny_server(in_turn(failing, busy, stored)) as server,
        open_client(server, ROOMY, kind=kind) as client,
    ):
        assert client.remember("pitfall", "t", "b").proposal_id == "p1"
        first, *others = server.requests
        assert b"idempotency-key: " in first.lower()
        assert others == [first, first]


@KINDS
def test_a_server_that_hangs_up_is_asked_again(kind: str) -> None:
    def hang_up(connection: socket.socket) -> None:
        connection.shutdown(socket.SHUT_RDWR)

    behaviour = in_turn(hang_up, hang_up, answer("200 OK", BLOCK.encode()))
    with tiny_server(behaviour) as server, open_client(server, ROOMY, kind=kind) as client:
        assert client.agent_memory().text == "t"


@KINDS
@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        (answer("500 Internal Server Error"), "http_500"),
        (answer("401 Unauthorized", b'{"code":"unauthenticated","detail":"No."}'), "unauthenticated"),
        (answer("429 Too Many Requests", headers="Retry-After: 3600\r\n"), "http_429"),
        (answer("302 Found", headers="Location: http://127.0.0.1:9/\r\n"), "bad_response"),
        (answer("200 OK", b"\xff\xfe not json"), "bad_response"),
        (answer("200 OK", b"\x1f\x8b broken", "Content-Encoding: gzip\r\n"), "bad_response"),
        (answer("200 OK", b" " * (9 * 1024 * 1024)), "bad_response"),
        (lambda connection: connection.sendall(b"SSH-2.0\r\n\r\n"), "connection_failed"),
    ],
)
def test_what_a_server_does_wrong_has_a_code(behaviour: Behaviour, code: str, kind: str) -> None:
    with tiny_server(behaviour) as server, open_client(server, ROOMY, kind=kind) as client:
        memory = client.agent_memory()
    assert (memory.error, memory.source, memory.text) == (code, "empty", "")


@KINDS
def test_nobody_listening_is_an_error_like_any_other(kind: str) -> None:
    with tiny_server(silence) as server:
        gone = server
    with open_client(gone, ROOMY, kind=kind) as client:
        assert client.agent_memory().error == "connection_failed"


def test_one_client_serves_many_threads() -> None:
    with tiny_server(answer("200 OK", b'{"notes":[]}')) as server:
        with _threaded(server, ROOMY, connections=4) as client:
            errors: list[str | None] = []
            ask = lambda: errors.extend(client.search_agent_memory("q").error for _ in range(20))  # noqa: E731
            threads = [threading.Thread(target=ask) for _ in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            lanes = client._lanes
            assert lanes is not None
            assert lanes._count <= 4
        assert errors == [None] * 240
