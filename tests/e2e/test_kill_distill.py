"""kill -9 while a model writes: the next start has the proposal written once, and none stays a draft."""

from __future__ import annotations

import socket
import threading
from typing import Any

import httpx
import pytest

from tests.contract.client.tiny import Behaviour
from tests.e2e.company import MEMORY, Company, Place, found, log_of, require_kept
from tests.e2e.test_kill_erasure import until
from tests.fixtures.model_server import GOOD, hangs_up, model_server, note
from tests.fixtures.server import RunningServer, running_server

# Longer than a killed worker holds a job.
LATER = {"TARIMBA_CLOCK_OFFSET_S": "100"}
OPERATIONS = ("invoice.void", "order.reopen")


def call(server: RunningServer, company: Company, method: str, path: str, **options: Any) -> httpx.Response:
    headers = company.headers("billing")
    return httpx.request(method, f"{server.base_url}{path}", headers=headers, timeout=60, **options)


def event(number: int, operation: str) -> dict[str, Any]:
    event: dict[str, Any] = {"type": "event", "kind": "action", "channel": "chat", "conversation_id": "c-1"}
    acted = {"speaker": {"role": "ai_agent"}, "action": {"operation": operation}}
    return event | acted | {"idempotency_key": f"k-{number}"}


def waits(reached: threading.Event) -> Behaviour:
    """Says that it was asked, and nothing to whoever asked until that one is gone."""

    def behave(connection: socket.socket) -> None:
        reached.set()
        connection.recv(1)
        hangs_up(connection)

    return behave


@pytest.mark.promise("distill-survives-kill")
def test_a_worker_killed_while_the_model_writes(place: Place) -> None:
    company, reached = found(place), threading.Event()
    with model_server(waits(reached), note()) as model:
        environment = {**place.environment, "TARIMBA_LLM_URL": model.url}
        with running_server(place.data, place.db, env=environment) as server:
            items = [event(number, operation) for number, operation in enumerate(OPERATIONS)]
            assert call(server, company, "POST", "/v1/batch", json={"items": items}).status_code == 200
            asked = call(server, company, "POST", f"{MEMORY}/distill", json={"conversation_id": "c-1"}).json()
            assert reached.wait(60)
            server.kill9()
        path = f"{MEMORY}/proposals/{asked['proposal_id']}"
        with running_server(place.data, place.db, env=environment | LATER) as server:
            until(lambda: call(server, company, "GET", path).json()["status"] != "drafting")
            made = call(server, company, "GET", path).json()
    assert (made["status"], made["body"]) == ("pending", GOOD["body"])
    assert place.count("job", company) == 0
    with place.kernel() as kernel:
        finished = [one for one in log_of(kernel, company) if one.document["action"] == "distill.finish"]
        assert len(finished) == 1
        require_kept(kernel, company, [])
