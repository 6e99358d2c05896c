"""SIGTERM: idle connections are closed, what is under way ends, nothing answered is lost, and the exit code is 0."""

from __future__ import annotations

import json
import random
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from tests.e2e.company import MEMORY, NOTE, Company, Kept, Place, found, require_kept
from tests.e2e.faults.asking import block, until
from tests.e2e.load import Promised, under_load
from tests.e2e.test_kill import require_promised
from tests.fixtures.server import STOP_DEADLINE_SECONDS, RunningServer, running_server

IDLE = 50
# What a test waits for by the system's own means, on a machine that does much else.
PATIENCE = 60.0


def request(company: Company, method: str, path: str, body: bytes = b"") -> bytes:
    """The bytes of a request that keeps its connection."""
    lines = [f"{method} {path} HTTP/1.1", "host: localhost", f"content-length: {len(body)}"]
    lines += ["content-type: application/json"] if body else []
    lines += [f"{name}: {value}" for name, value in company.headers("billing").items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def connect(server: RunningServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)


def answer(line: socket.socket) -> tuple[int, str, bytes]:
    """Status, head and body of the next answer."""
    received = b""
    while b"\r\n\r\n" not in received:
        more = line.recv(65536)
        assert more, "closed without an answer"
        received += more
    head, _, body = received.partition(b"\r\n\r\n")
    text = head.decode("latin-1").lower()
    length = int(text.partition("content-length:")[2].partition("\r\n")[0] or 0)
    while len(body) < length:
        body += line.recv(65536)
    return int(text.split()[1]), text, body


@contextmanager
def idle_lines(server: RunningServer, company: Company) -> Iterator[list[socket.socket]]:
    """Connections that were answered once and are kept open."""
    with ExitStack() as open_ones:
        lines = [open_ones.enter_context(connect(server)) for _ in range(IDLE)]
        for line in lines:
            line.sendall(request(company, "GET", f"{MEMORY}/block"))
        for line in lines:
            assert answer(line)[0] == 200
        yield lines


def ended(server: RunningServer) -> int:
    """The exit code of a server that was told to end."""
    code = server.process.wait(STOP_DEADLINE_SECONDS)
    server.kill9()
    return code


@pytest.mark.promise("drains")
def test_idle_connections_are_closed_and_an_open_request_ends(place: Place) -> None:
    company = found(place)
    body = json.dumps(NOTE).encode()
    whole = request(company, "POST", f"{MEMORY}/notes", body)
    with running_server(place.data, place.db, env=place.environment) as server, connect(server) as slow:
        # Most of the request is there, so it is under way; the rest comes when everybody else is gone.
        slow.sendall(whole[:-5])
        with idle_lines(server, company) as lines:
            server.process.send_signal(signal.SIGTERM)
            assert all(line.recv(1) == b"" for line in lines)
        with pytest.raises(ConnectionRefusedError):
            connect(server)
        slow.sendall(whole[-5:])
        status, head, raw = answer(slow)
        assert slow.recv(1) == b""
        assert ended(server) == 0
    assert (status, "connection: close" in head) == (201, True)
    with place.kernel() as kernel:
        receipt = head.partition("tarimba-receipt: ")[2].partition("\r\n")[0]
        require_kept(kernel, company, [Kept.parsed(receipt)])
    stored = f"SELECT note_id FROM note_version WHERE space_id = '{company.space_id}'"
    assert place.ask(stored) == [(json.loads(raw)["note"]["note_id"],)]


@pytest.mark.promise("drains")
@pytest.mark.promise("crash-loses-nothing")
def test_what_was_answered_before_the_end_is_there_after_it(place: Place) -> None:
    company = found(place, writes_per_hour=1_000_000, active_notes_max=1_000_000)
    promised, moments = Promised(), random.Random(3)
    with running_server(place.data, place.db, env=place.environment) as server:
        for _ in range(3):
            with under_load(server, company, promised) as load:
                promised.wait_for(len(promised.receipts) + moments.randrange(20, 120))
                server.process.send_signal(signal.SIGTERM)
                assert ended(server) == 0
                load.stop()
            require_promised(place, company, promised)
            server.start()


@pytest.mark.promise("drains")
def test_a_second_signal_waits_for_nobody(sqlite_place: Place) -> None:
    place = sqlite_place
    company = found(place)
    with running_server(place.data, place.db, env=place.environment) as server, connect(server) as slow:
        with sqlite3.connect(place.data / "tarimba.db", isolation_level=None, timeout=PATIENCE) as other:
            # Nobody can write, so the request can't end.
            other.execute("BEGIN IMMEDIATE")
            slow.sendall(request(company, "POST", f"{MEMORY}/notes", json.dumps(NOTE).encode()))
            with idle_lines_of_nobody(server) as line:
                server.process.send_signal(signal.SIGTERM)
                # The first signal was taken.
                assert line.recv(1) == b""
            server.process.send_signal(signal.SIGTERM)
            assert ended(server) == 0
            other.execute("ROLLBACK")
        other.close()
        status, _, raw = answer(slow)
    assert (status, json.loads(raw)["code"]) == (503, "unavailable")
    assert place.count("note_version", company) == 0


@pytest.mark.nightly
@pytest.mark.promise("drains")
def test_a_request_that_does_not_end_is_told_so_in_time(sqlite_place: Place) -> None:
    place = sqlite_place
    company = found(place)
    with running_server(place.data, place.db, env=place.environment) as server, connect(server) as slow:
        slow.sendall(request(company, "POST", f"{MEMORY}/notes", json.dumps(NOTE).encode())[:-5])
        with idle_lines_of_nobody(server) as line:
            server.process.send_signal(signal.SIGTERM)
            assert line.recv(1) == b""
        status, _, raw = answer(slow)
        assert ended(server) == 0
    assert (status, json.loads(raw)["code"]) == (503, "unavailable")
    assert place.count("note_version", company) == 0


@contextmanager
def idle_lines_of_nobody(server: RunningServer) -> Iterator[socket.socket]:
    """A connection that asked whether the server is there, and is kept open."""
    with connect(server) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert answer(line)[0] == httpx.codes.OK
        yield line


@pytest.mark.promise("drains")
def test_a_server_goes_on_answering_for_as_long_as_it_was_told(sqlite_place: Place) -> None:
    place = sqlite_place
    company = found(place)
    environment = {**place.environment, "TARIMBA_DRAIN_DELAY_S": "300"}
    with running_server(place.data, place.db, env=environment) as server:

        def readiness() -> int:
            return httpx.get(f"{server.base_url}/readyz", timeout=PATIENCE).status_code

        assert readiness() == httpx.codes.OK
        server.process.send_signal(signal.SIGTERM)
        until(lambda: readiness() == httpx.codes.SERVICE_UNAVAILABLE)
        assert block(server, company).is_success
        server.process.send_signal(signal.SIGTERM)
        assert ended(server) == 0
