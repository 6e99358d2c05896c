"""Many servers on one database, and many requests that start together."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.e2e.company import Place
from tests.fixtures.server import RunningServer, running_server


@contextmanager
def servers(place: Place, count: int) -> Iterator[list[RunningServer]]:
    """`count` server processes on the same data, started together; the same one `count` times on SQLite.

    An SQLite file has one server: what comes at once meets in its threads there.
    """
    if place.db is None:
        with running_server(place.data, env=place.environment) as one:
            yield [one] * count
        return
    with ExitStack() as stack, ThreadPoolExecutor(count) as pool:

        def start(_number: int) -> RunningServer:
            serving = running_server(place.data, place.db, env=place.environment)
            return stack.enter_context(serving)

        yield list(pool.map(start, range(count)))


@dataclass(frozen=True)
class Shot:
    """One request: to which server, and what."""

    server: RunningServer
    method: str
    path: str
    options: dict[str, Any] = field(default_factory=dict)


def at_once(shots: Sequence[Shot]) -> list[httpx.Response]:
    """Sends everything when every connection is open, and gives the answers in the order of `shots`."""
    gate = threading.Barrier(len(shots))
    # A client of plain HTTP would still read every root certificate of the system.
    plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    def fire(shot: Shot) -> httpx.Response:
        with httpx.Client(base_url=shot.server.base_url, verify=plain, timeout=120) as client:
            client.get("/healthz")
            gate.wait()
            return client.request(shot.method, shot.path, **shot.options)

    with ThreadPoolExecutor(len(shots)) as pool:
        return list(pool.map(fire, shots))
