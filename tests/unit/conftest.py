"""Unit tests have no network: what needs one belongs to tests/contract or tests/e2e."""

import socket

import pytest


class NetworkClosedError(Exception):
    """A unit test tried to reach an address."""


@pytest.fixture(autouse=True)
def network_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every connection but a Unix socket raises NetworkClosedError; so does looking up a host name."""

    def refuse(*_: object, **__: object) -> None:
        raise NetworkClosedError("unit tests reach no network")

    def connect(sock: socket.socket, address: str) -> None:
        if sock.family != socket.AF_UNIX:
            refuse()
        opened(sock, address)

    opened = socket.socket.connect
    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
