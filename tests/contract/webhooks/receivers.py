"""Receivers of a few lines, and a connection to them under whatever address a test says."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpcore
from standardwebhooks import Webhook

from tests.contract.client.tiny import Behaviour, TinyServer, answer, tiny_server

TAKEN = answer("204 No Content", b"")


@dataclass(frozen=True)
class Received:
    """One request: headers by their names in lower case, and the very bytes of the body."""

    line: str
    headers: dict[str, str]
    body: bytes

    @classmethod
    def of(cls, request: bytes) -> Received:
        head, _, body = request.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        told = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return cls(first, told, body)

    @property
    def event_id(self) -> str:
        return self.headers["webhook-id"]

    def verified(self, secret: str) -> Any:
        """The payload, as the library of Standard Webhooks reads it. Raises when it is not genuine."""
        return Webhook(secret).verify(self.body, self.headers)

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """A server on loopback that answers as `behaviour` says, which may be changed at any time."""

    behaviour: Behaviour = TAKEN
    server: TinyServer = field(init=False)

    @property
    def url(self) -> str:
        return f"{self.server.base_url}/hooks?from=tarimba"

    @property
    def port(self) -> int:
        return int(self.server.base_url.rsplit(":", maxsplit=1)[1])

    def received(self) -> list[Received]:
        return [Received.of(request) for request in list(self.server.requests)]

    def ids(self) -> list[str]:
        return [one.event_id for one in self.received()]


@contextmanager
def receiving(behaviour: Behaviour = TAKEN) -> Iterator[Receiver]:
    receiver = Receiver(behaviour)

    def behave(connection: socket.socket) -> None:
        receiver.behaviour(connection)
        connection.shutdown(socket.SHUT_RDWR)

    with tiny_server(behave) as receiver.server:
        yield receiver


@dataclass
class Names:
    """A resolver whose answers are written down, and asked for in turn; the last one holds for ever."""

    answers: list[Sequence[str]]
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str, _port: int, _seconds: float) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@dataclass
class Wire(httpcore.NetworkBackend):
    """Leads every address to a port of loopback, and remembers which ones were connected to."""

    port: int
    connected: list[str] = field(default_factory=list)

    def connect_tcp(
        self,
        host: str,
        port: int,  # noqa: ARG002 - the receiver's is another
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        self.connected.append(host)
        return httpcore.SyncBackend().connect_tcp(
            "127.0.0.1", self.port, timeout, local_address, socket_options
        )
