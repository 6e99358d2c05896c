"""From a conversation to a note that every later conversation reads, with a person's hand between.

The independent client records what happened; nothing of it reaches a prompt before a person has approved it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from niadra import Niadra
from niadra.models.agent_memory import AgentNoteProposal
from standardwebhooks.webhooks import Webhook

from tests.e2e.company import MEMORY, Company, Place, found, log_of
from tests.e2e.test_independent_client import OPTIONS
from tests.fixtures.server import RunningServer, running_server

WAIT_SECONDS = 60
PHONE = "+55 11 98888-7777"
DOCUMENT = "111.444.777-35"


class Inbox:
    """What a receiver of webhooks got, each verified when it is taken out."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.arrived: queue.Queue[tuple[dict[str, str], bytes]] = queue.Queue()

    def next(self, secret: str) -> dict[str, Any]:
        headers, body = self.arrived.get(timeout=WAIT_SECONDS)
        event: dict[str, Any] = Webhook(secret).verify(body, headers)
        return event

    def until(self, secret: str, event_type: str) -> dict[str, Any]:
        """The next event of that type; the ones before it must be genuine too."""
        while True:
            event = self.next(secret)
            if event["type"] == event_type:
                return event


@contextmanager
def receiving() -> Iterator[Inbox]:
    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            opened.arrived.put((dict(self.headers.items()), body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    opened = Inbox(f"http://127.0.0.1:{server.server_port}/hook")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield opened
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def server(place: Place) -> Iterator[RunningServer]:
    environment = {**place.environment, "TARIMBA_WEBHOOK_HOSTS": "127.0.0.1"}
    with running_server(place.data, place.db, env=environment) as running:
        yield running


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with receiving() as opened:
        yield opened


class Caller:
    """Requests to one server as people and keys of one company."""

    def __init__(self, server: RunningServer, company: Company) -> None:
        self.company = company
        self.base_url = server.base_url

    def ask(self, who: str, method: str, path: str, **options: Any) -> httpx.Response:
        headers = self.company.headers(who)
        return httpx.request(method, self.base_url + path, headers=headers, timeout=WAIT_SECONDS, **options)

    def done(self, who: str, method: str, path: str, **options: Any) -> dict[str, Any]:
        answer = self.ask(who, method, path, **options)
        assert answer.is_success, answer.text
        content: dict[str, Any] = answer.json()
        return content


def converse(server: RunningServer, company: Company) -> None:
    """A customer has an invoice voided. The agent's steps are recorded beside what was said."""
    with Niadra(company.bearers["billing"], base_url=server.base_url, **OPTIONS) as client:
        with client.conversation(
            "ticket-4711", subject={"type": "phone_e164", "value": PHONE}, channel="chat"
        ) as conversation:
            conversation.customer(f"Void my invoice. My document is {DOCUMENT}, call me at {PHONE}.")
            conversation.action("invoice.find", object={"type": "invoice", "namespace": "erp", "id": "NF-88"})
            conversation.action(
                "period.close", object={"type": "period", "namespace": "erp", "id": "2026-10"}
            )
            conversation.action(
                "invoice.void",
                object={"type": "invoice", "namespace": "erp", "id": "NF-88"},
                result=f"voided for {PHONE}",
            )
            conversation.agent("Done, the invoice is void.")
        assert client.flush(WAIT_SECONDS)
        assert not client.dropped


@pytest.mark.promise("learning-path")
def test_from_a_conversation_to_the_block(place: Place, server: RunningServer, inbox: Inbox) -> None:
    company = found(place)
    caller = Caller(server, company)
    source_id = company.sources["billing"]
    hook = caller.done("owner", "POST", "/v1/admin/webhooks", json={"url": inbox.url})
    secret = hook["secret"]
    converse(server, company)

    asked = caller.ask(
        "billing",
        "POST",
        f"{MEMORY}/distill",
        json={"source_id": source_id, "conversation_id": "ticket-4711"},
    )
    assert asked.status_code == 201, asked.text
    proposal_id = AgentNoteProposal.model_validate(asked.json()).proposal_id
    told = inbox.until(secret, "agent_note.proposed")
    assert told["data"]["proposal_id"] == proposal_id
    assert "invoice" not in str(told["data"])

    shown = caller.done("billing", "GET", f"{MEMORY}/proposals/{proposal_id}")
    proposal = AgentNoteProposal.model_validate(shown)
    assert (proposal.status, proposal.origin) == ("pending", "distilled")
    assert "invoice.void" in proposal.body
    assert caller.done("billing", "GET", f"{MEMORY}/block")["notes"] == []
    refused = caller.ask("admin", "POST", f"{MEMORY}/proposals/{proposal_id}/approve", json={})
    assert (refused.status_code, refused.json()["code"]) == (403, "person_required")

    edited = {"title": "Void an invoice: close its period first"}
    note = caller.done("reviewer", "POST", f"{MEMORY}/proposals/{proposal_id}/approve", json=edited)
    assert (note["title"], note["origin"], note["version"]) == (edited["title"], "distilled", 1)
    assert inbox.until(secret, "agent_note.proposal_decided")["data"]["status"] == "approved"
    block = caller.done("billing", "GET", f"{MEMORY}/block?conversation_id=ticket-4711")
    assert edited["title"] in block["text"]
    assert block["notes"] == [note["note_id"]] or block["notes"][0]["note_id"] == note["note_id"]

    with place.kernel() as kernel:
        actions = [stored.document["action"] for stored in log_of(kernel, company)]
    wanted = [
        "turns.record",
        "distill.request",
        "distill.finish",
        "proposal.read",
        "proposal.approve",
        "block.read",
    ]
    assert [action for action in actions if action in wanted][-1] == "block.read"
    assert set(wanted) <= set(actions)
    found_receipts = caller.done(
        "auditor", "POST", "/v1/receipts/search", json={"conversation_id": "ticket-4711", "limit": 50}
    )
    assert {item["action"] for item in found_receipts["items"]} >= {"distill.request", "block.read"}


def test_what_the_customer_said_is_kept_nowhere(place: Place, server: RunningServer) -> None:
    company = found(place)
    converse(server, company)
    everything = b"".join(path.read_bytes() for path in sorted(place.data.rglob("*")) if path.is_file())
    for value in (PHONE, DOCUMENT, "988887777", "11144477735", "+5511988887777"):
        assert value.encode() not in everything
