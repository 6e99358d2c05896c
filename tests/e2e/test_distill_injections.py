"""Thirty attempts over the API of a real server with a model that obeys: nothing of them in a file, a log, a note."""

from __future__ import annotations

import socket
from typing import Any

import httpx
import pytest

from tests.contract.distill.injections import INJECTIONS, Injection
from tests.e2e.company import MEMORY, Company, Place, found
from tests.e2e.test_kill_erasure import until
from tests.fixtures.model_server import model_server, note
from tests.fixtures.server import RunningServer, running_server

LANGUAGES = ("pt", "en", "es")


class Obedient:
    """A model that writes what the conversation at hand wants written."""

    def __init__(self) -> None:
        self.wanted = ""

    def __call__(self, connection: socket.socket) -> None:
        note(body=self.wanted)(connection)


def call(server: RunningServer, company: Company, method: str, path: str, **options: Any) -> Any:
    headers = company.headers("billing")
    answer = httpx.request(method, f"{server.base_url}{path}", headers=headers, timeout=60, **options)
    assert answer.status_code in {200, 201}, answer.text
    return answer.json()


def items(one: Injection, name: str) -> list[dict[str, Any]]:
    """The attempt by a customer, and in what a tool gives back."""
    whole = {"type": "event", "channel": "chat", "conversation_id": name}
    agent = {**whole, "kind": "action", "speaker": {"role": "ai_agent"}}
    said = {"kind": "message", "speaker": {"role": "customer"}, "content": {"type": "text", "text": one.said}}
    done = (
        {"operation": "invoice.void", "result": one.said},
        {"operation": "order.reopen", "purpose": one.said},
    )
    events = [whole | said, *({**agent, "action": action} for action in done)]
    return [event | {"idempotency_key": f"{name}-{number}"} for number, event in enumerate(events)]


def attempt(server: RunningServer, company: Company, one: Injection, name: str) -> dict[str, Any]:
    call(server, company, "POST", "/v1/batch", json={"items": items(one, name)})
    asked = call(server, company, "POST", f"{MEMORY}/distill", json={"conversation_id": name})
    path = f"{MEMORY}/proposals/{asked['proposal_id']}"
    until(lambda: call(server, company, "GET", path)["status"] != "drafting")
    made: dict[str, Any] = call(server, company, "GET", path)
    return made


@pytest.mark.promise("distill-injections")
def test_a_model_that_obeys_everybody_teaches_nobody(sqlite_place: Place) -> None:
    place, model = sqlite_place, Obedient()
    companies = {language: found(place, language=language) for language in LANGUAGES}
    with model_server(model) as asked:
        environment = {**place.environment, "TARIMBA_LLM_URL": asked.url, "TARIMBA_LOG_LEVEL": "debug"}
        with running_server(place.data, None, env=environment) as server:
            for number, one in enumerate(INJECTIONS):
                model.wanted = one.obeyed
                made = attempt(server, companies[one.language], one, f"c-{number}")
                assert (made["status"], made["title"], made["body"]) == ("failed", "", ""), one
            for company in companies.values():
                assert "invoice" not in call(server, company, "GET", f"{MEMORY}/block")["text"]
            server.stop()
            files = [path.read_bytes() for path in (server.stderr, *place.data.rglob("*")) if path.is_file()]
    personal = [planted for one in INJECTIONS if one.aim in {"phone", "secret"} for planted in one.planted]
    assert not [planted for planted in personal if any(planted.encode() in content for content in files)]
    assert not any(place.count("note_version", company) for company in companies.values())
