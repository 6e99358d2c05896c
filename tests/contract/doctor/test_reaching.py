"""Whether servers that the options name can be reached."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tarimba.doctor import reaching
from tarimba.settings import Settings
from tests.fixtures.sockets import listener


@contextmanager
def closed_port() -> Iterator[int]:
    """A port that is taken, and where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.mark.promise("doctor")
def test_a_server_is_reached_or_said_to_be_away() -> None:
    with listener() as listening, closed_port() as closed:
        port = listening.getsockname()[1]
        settings = Settings(
            llm_url=f"http://127.0.0.1:{port}/v1",
            detectors_url=f"http://127.0.0.1:{closed}",
            public_url=f"http://127.0.0.1:{closed}",
        )
        levels = {one.check: one.level for one in reaching.reach(settings)}
    assert levels == {"reach.llm": "ok", "reach.detectors": "fail", "reach.public_url": "warn"}
