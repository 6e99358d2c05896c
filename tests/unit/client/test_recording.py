"""Events leave in the background: in order, with a bound, and none is lost without being counted."""

import threading
from collections.abc import Sequence

import pytest

from tarimba.client.conversation import Conversation
from tarimba.client.errors import ServerFaultError
from tarimba.client.events import Handle, Item, Scene
from tarimba.client.models import AgentMemory, ItemError, Recorded
from tarimba.client.recording import Recorder, Tally


class Server:
    """Takes batches; `hold` keeps the next one waiting until `let_go` is set."""

    def __init__(self) -> None:
        self.taken: list[Item] = []
        self.arrived = threading.Event()
        self.let_go = threading.Event()
        self.let_go.set()
        self.faults = 0
        self.refused = 0

    def __call__(self, items: Sequence[Item]) -> Recorded:
        self.arrived.set()
        assert self.let_go.wait(30)
        if self.faults:
            self.faults -= 1
            raise ServerFaultError("unavailable", "Not now.")
        self.taken += items
        return Recorded(errors=tuple(ItemError(index=at) for at in range(self.refused)))


@pytest.mark.promise("recorded-in-background")
def test_what_was_said_arrives_in_order_and_ends_with_the_end() -> None:
    server = Server()
    recorder = Recorder(server, 100)
    with Conversation(recorder, Scene("c-1", None, "chat", (Handle("email", "x@example.com"),))) as told:
        told.customer("My invoice is wrong")
        told.injected(AgentMemory(etag="am-1", receipt_id="r-1"))
        told.agent("Let me see")
        told.action("invoice.void", result="ok")
    assert recorder.flush(30)
    kinds = [item.get("kind", item["type"]) for item in server.taken]
    assert kinds == ["message", "message", "action", "conversation.ended"]
    assert server.taken[0]["handles"] == [{"type": "email", "value": "x@example.com"}]
    assert server.taken[1]["context_stamp"]["receipt_id"] == "r-1"
    assert len({item["idempotency_key"] for item in server.taken}) == 4
    recorder.close()


@pytest.mark.promise("recorded-in-background")
def test_a_full_queue_drops_and_counts_and_the_agent_never_waits() -> None:
    server = Server()
    server.let_go.clear()
    recorder = Recorder(server, 3)
    told = Conversation(recorder, Scene("c-1"))
    for _ in range(5):
        told.customer("hello")
    assert recorder.tally == Tally(waiting=3, sent=0, dropped=2)
    server.let_go.set()
    assert recorder.flush(30)
    assert recorder.tally == Tally(waiting=0, sent=3, dropped=2)
    recorder.close()


@pytest.mark.promise("recorded-in-background")
def test_what_the_server_refuses_is_counted_and_the_next_is_sent() -> None:
    server = Server()
    server.faults = 1
    recorder = Recorder(server, 10)
    told = Conversation(recorder, Scene("c-1"))
    told.customer("lost")
    assert recorder.flush(30)
    server.refused = 1
    told.customer("refused")
    assert recorder.flush(30)
    server.refused = 0
    told.customer("taken")
    assert recorder.flush(30)
    assert recorder.tally == Tally(waiting=0, sent=1, dropped=2)
    recorder.close()


@pytest.mark.promise("recorded-in-background")
def test_closing_sends_what_waits_and_takes_nothing_more() -> None:
    server = Server()
    recorder = Recorder(server, 10)
    told = Conversation(recorder, Scene(None, "t-1"))
    told.action("refund")
    told.end(succeeded=True)
    told.end(succeeded=False)
    recorder.close(30)
    told.customer("too late")
    assert [item["type"] for item in server.taken] == ["event", "task.ended"]
    assert server.taken[1]["succeeded"] is True
    assert recorder.tally.dropped == 1


def test_a_conversation_that_raised_ends_as_failed() -> None:
    server = Server()
    recorder = Recorder(server, 10)
    with pytest.raises(ZeroDivisionError), Conversation(recorder, Scene("c-1")):
        _ = 1 / 0
    recorder.close(30)
    assert server.taken[0]["succeeded"] is False
