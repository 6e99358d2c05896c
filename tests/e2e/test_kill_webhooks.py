"""kill -9 between a receiver's answer and its record: the event comes again under the same id."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import httpx
import pytest

from tests.contract.webhooks.receivers import Receiver, receiving
from tests.e2e.company import MEMORY, NOTE, Place, found
from tests.fixtures.server import RunningServer, running_server

# The command line with a server that dies when a receiver has answered and nothing is stored of it.
DIES_AFTER_THE_ANSWER = """
import os, signal
from tarimba.webhooks import delivering

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

delivering.settle = die
from tarimba.cli import main
main()
"""
# Past the lease that the dead process left.
LATER = "120"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def arrived(receiver: Receiver, count: int) -> list[str]:
    """The ids of what was received, when there are that many."""
    while len(receiver.received()) < count:
        receiver.server.broken.wait(0.05)
    return receiver.ids()


@pytest.mark.promise("webhooks-at-least-once")
@pytest.mark.promise("webhooks-in-order")
def test_an_event_whose_answer_was_not_recorded_comes_again(place: Place, receiver: Receiver) -> None:
    company = found(place)
    environment = place.environment | {"TARIMBA_WEBHOOK_HOSTS": "127.0.0.1"}

    def write(server: RunningServer) -> str:
        made = httpx.post(
            f"{server.base_url}/v1/admin/webhooks",
            # The first checkpoint of the log is an event too.
            json={"url": receiver.url, "events": ["agent_note.created"]},
            headers=company.headers("owner"),
            timeout=120,
        )
        note = httpx.post(
            f"{server.base_url}{MEMORY}/notes",
            json=NOTE,
            headers=company.headers("billing"),
            timeout=120,
        )
        assert (made.status_code, note.status_code) == (201, 201)
        return str(made.json()["secret"])

    program = (sys.executable, "-c", DIES_AFTER_THE_ANSWER)
    with running_server(place.data, place.db, env=environment, program=program) as dying:
        secret = write(dying)
        first = arrived(receiver, 1)
        dying.process.wait()
        dying.kill9()
    pending = f"SELECT state, attempts FROM webhook_delivery WHERE space_id = '{company.space_id}'"
    assert place.ask(pending) == [("pending", 0)]
    later = environment | {"TARIMBA_CLOCK_OFFSET_S": LATER}
    with running_server(place.data, place.db, env=later) as server:
        assert arrived(receiver, 2) == first * 2
        server.stop()
    one, two = receiver.received()
    assert one.body == two.body
    for received in (one, two):
        assert received.verified(secret)["type"] == "agent_note.created"
    assert place.ask(pending) == [("delivered", 1)]
