"""A client that a program had before it forked."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.client.tiny import answer, tiny_server

FORKING = Path(__file__).with_name("forking.py")


@pytest.mark.promise("client-forks")
def test_parent_and_child_go_on_with_the_client_of_before_the_fork() -> None:
    def either(connection: socket.socket) -> None:
        # Both answers in one: an answer to a search has no use for the numbers, and one to a batch none for the notes.
        answer("200 OK", b'{"notes":[],"accepted":1,"duplicates":0,"errors":[]}')(connection)

    with tiny_server(either) as server:
        program = [sys.executable, str(FORKING), server.base_url]
        done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        sent = [request.split(b" ")[1] for request in server.requests]
    assert (sent.count(b"/v1/agent-memory/search"), sent.count(b"/v1/batch")) == (5, 3)
