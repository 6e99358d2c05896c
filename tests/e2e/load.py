"""Clients that write and read as fast as they can, and remember what they were promised."""

from __future__ import annotations

import ssl
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.e2e.company import MEMORY, NOTE, Company, Kept
from tests.fixtures.server import RunningServer

WRITERS = ("billing", "support", "courier")
READERS = ("billing", "courier")
# While a server is away.
RETRY_SECONDS = 0.02


@dataclass(frozen=True)
class Write:
    """A note that a client asked to keep, under an idempotency key of its own."""

    who: str
    key: str

    def send(self, client: httpx.Client, company: Company) -> httpx.Response:
        headers = company.headers(self.who) | {"idempotency-key": self.key}
        note = NOTE | {"title": f"Step {self.key}"}
        return client.post(f"{MEMORY}/notes", json=note, headers=headers)


@dataclass
class Promised:
    """What servers answered: the note ids of writes, receipts of both kinds, and writes without an answer."""

    notes: dict[Write, str] = field(default_factory=dict)
    receipts: list[Kept] = field(default_factory=list)
    unanswered: list[Write] = field(default_factory=list)
    _more: threading.Condition = field(default_factory=threading.Condition)

    def keep(self, response: httpx.Response, write: Write | None = None) -> None:
        with self._more:
            self.receipts.append(Kept.of(response))
            if write is not None:
                self.notes[write] = response.json()["note"]["note_id"]
            self._more.notify_all()

    def wait_for(self, count: int) -> None:
        """Until so many receipts are there."""
        with self._more:
            assert self._more.wait_for(lambda: len(self.receipts) >= count, timeout=120)


class Load:
    """Threads against one server until `stop`, through its deaths."""

    def __init__(self, server: RunningServer, company: Company, promised: Promised) -> None:
        self._server = server
        self._company = company
        self._promised = promised
        self._over = threading.Event()
        self.unexpected: list[str] = []

    def stop(self) -> None:
        self._over.set()

    def write(self, who: str) -> None:
        with self._client() as client:
            while not self._over.is_set():
                self._insist(client, Write(who, uuid.uuid4().hex))

    def _insist(self, client: httpx.Client, wanted: Write) -> None:
        """Sends the write again until it is answered or all is over."""
        while not self._try(lambda: wanted.send(client, self._company), wanted):
            if self._over.wait(RETRY_SECONDS):
                self._promised.unanswered.append(wanted)
                return

    def read(self, who: str) -> None:
        with self._client() as client:
            headers = self._company.headers(who)
            while not self._over.is_set():
                self._try(lambda: client.get(f"{MEMORY}/block", headers=headers), None)

    def _try(self, send: Any, wanted: Write | None) -> bool:
        """False when no answer came, or one that promises nothing."""
        try:
            response: httpx.Response = send()
        except httpx.TransportError:
            return False
        if response.is_success:
            self._promised.keep(response, wanted)
        elif response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
            self.unexpected.append(f"{response.status_code} {response.text}")
        return response.is_success

    def _client(self) -> httpx.Client:
        plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return httpx.Client(base_url=self._server.base_url, verify=plain, timeout=120)


@contextmanager
def under_load(server: RunningServer, company: Company, promised: Promised) -> Iterator[Load]:
    """Three writers and two readers at work within the block."""
    load = Load(server, company, promised)
    threads = [threading.Thread(target=load.write, args=(who,)) for who in WRITERS]
    threads += [threading.Thread(target=load.read, args=(who,)) for who in READERS]
    for thread in threads:
        thread.start()
    try:
        yield load
    finally:
        load.stop()
        for thread in threads:
            thread.join()
    assert not load.unexpected, load.unexpected[:5]
