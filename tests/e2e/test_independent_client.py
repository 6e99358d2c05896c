"""The published client of another maker, unmodified, pointed at a Tarimba server by its address."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import niadra
import pytest
from niadra import AsyncNiadra, Niadra
from niadra.errors import PermissionDeniedError, RateLimitError, UnprocessableEntityError
from niadra.models.agent_memory import (
    AgentMemoryBlock,
    AgentMemoryExport,
    AgentMemorySearchResponse,
    AgentNote,
    AgentNotePage,
    ErasedAgentNotes,
    RememberResult,
)
from niadra.options import CacheOptions, Timeouts, VoiceOptions
from pydantic import BaseModel

from tarimba.identity import hosting
from tests.e2e.company import MEMORY, NOTE, Company, Place, found, log_of
from tests.fixtures.server import RunningServer

pytestmark = pytest.mark.promise("clients-unmodified")

NO_PHONE = "Ring +1 212 555 0123 before you close."
# On a busy machine a budget of 0.3 s says nothing about the server.
OPTIONS: dict[str, Any] = {
    "timeouts": Timeouts(context=60, navigation=60, write=60),
    "cache": CacheOptions(ttl=0),
    "voice": VoiceOptions(probe=False),
    "keep_warm": False,
}


class Made:
    """Makes clients for one server."""

    def __init__(self, server: RunningServer, company: Company) -> None:
        self.url = server.base_url
        self.company = company

    @contextmanager
    def client(self, who: str = "billing", **options: Any) -> Iterator[Niadra]:
        with Niadra(self.company.bearers[who], base_url=self.url, **(OPTIONS | options)) as client:
            yield client

    @asynccontextmanager
    async def async_client(self, who: str = "billing", **options: Any) -> AsyncIterator[AsyncNiadra]:
        bearer = self.company.bearers[who]
        async with AsyncNiadra(bearer, base_url=self.url, **(OPTIONS | options)) as client:
            yield client


@pytest.fixture
def made(server: RunningServer, company: Company) -> Made:
    return Made(server, company)


def require_billing(made: Made, identity: Any) -> None:
    assert identity.space_id == made.company.space_id
    assert identity.source_id == made.company.sources["billing"]
    assert (identity.vendor, identity.agent_memory, identity.environment) == ("north", True, "live")
    assert identity.scopes == ["agent_memory", "agent_memory:write", "context", "track"]


def test_the_client_is_the_one_that_was_published() -> None:
    assert niadra.__version__ == "0.11.7"


def test_who_am_i(made: Made) -> None:
    with made.client(strict=True) as client:
        require_billing(made, client.whoami())
        assert client.api.sdk_profile().features == []


def test_the_block_comes_once_and_is_revalidated(made: Made, place: Place) -> None:
    with made.client(strict=True) as client:
        empty = client.agent_memory()
        assert (empty.text, empty.notes, empty.enabled, empty.left_out) == ("", [], True, 0)
        client.remember("pitfall", "The ledger locks at noon", "Wait for the lock.", tags=["ledger"])
        client.remember("procedure", "Send reminders", "Use the queue.", tags=["reminder"])
        first = client.agent_memory(tags=["reminder"], view="task:collect")
        again = client.agent_memory(tags=["reminder"], view="task:collect")
        other = client.agent_memory(tags=["ledger"])
    assert (first.source, again.source, again.text) == ("network", "cache", first.text)
    assert first.text.splitlines()[2:4] == [
        "- [procedure] Send reminders: Use the queue.",
        "- [pitfall] The ledger locks at noon: Wait for the lock.",
    ]
    assert other.notes == first.notes[::-1]
    with place.kernel() as kernel:
        reads = [r.document for r in log_of(kernel, made.company) if r.document["action"] == "block.read"]
    assert [read["detail"]["not_modified"] for read in reads] == [False, False, True, False]


def test_the_memory_that_is_off_says_so(server: RunningServer, place: Place) -> None:
    made = Made(server, found(place, enabled=False))
    with made.client(strict=True) as client:
        block = client.agent_memory()
        assert (block.enabled, block.text, block.notes, block.etag) == (False, "", [], "am-off")
        assert client.search_agent_memory("ledger") == []
        identity = client.whoami()
        assert identity is not None
        assert not identity.agent_memory
    with made.client() as client:
        assert client.remember(**NOTE).error == "agent_memory_off"  # type: ignore[arg-type]


def test_remember_keeps_and_search_finds(made: Made) -> None:
    with made.client(strict=True) as client:
        kept = client.remember(**NOTE, evidence={"conversation_id": "c-1"})  # type: ignore[arg-type]
        assert kept.note is not None
        assert (kept.note.origin, kept.note.version, kept.note.status) == ("agent", 1, "active")
        assert kept.note.evidence is not None
        assert kept.note.evidence.conversation_id == "c-1"
        assert client.search_agent_memory("voiding an invoice") == [kept.note]
        assert client.search_agent_memory("voiding", tags=["erp"]) == []


def test_a_refused_note_says_why_without_the_data(made: Made) -> None:
    with made.client() as client:
        refused = client.remember("pitfall", "Overdue", NO_PHONE)
        assert (refused.note, refused.error) == (None, "personal_data_in_agent_memory")
    with made.client(strict=True) as client, pytest.raises(UnprocessableEntityError) as raised:
        client.remember("pitfall", "Overdue", NO_PHONE)
    problem = raised.value.problem
    assert problem is not None
    assert (problem.status, problem.code) == (422, "personal_data_in_agent_memory")
    assert "findings" in (problem.detail or "")
    assert "555 0123" not in problem.model_dump_json()


def test_the_tools_tell_a_model_what_to_mend(made: Made) -> None:
    with made.client() as client:
        subject = niadra.system_id("acme", "42")
        tools = client.tools(subject, agent_memory=True, write_agent_memory=True)
        names = {definition["function"]["name"] for definition in tools.definitions}
        assert {"remember", "search_agent_memory"} <= names
        refused = tools.call("remember", {"kind": "pitfall", "title": "Overdue", "body": NO_PHONE})
        assert "personal_data" in refused
        assert "555 0123" not in refused
        assert "Void invoices" not in tools.call("search_agent_memory", {"query": "invoices"})
        tools.call("remember", NOTE)
        assert "Void invoices" in tools.call("search_agent_memory", {"query": "invoices"})


def test_the_cap_says_when_to_come_back(server: RunningServer, place: Place) -> None:
    made = Made(server, found(place, writes_per_hour=1))
    with made.client(strict=True, timeouts=Timeouts(write=5)) as client:
        assert client.remember(**NOTE)  # type: ignore[arg-type]
        with pytest.raises(RateLimitError) as raised:
            client.remember(**NOTE)  # type: ignore[arg-type]
    assert raised.value.code == "rate_limited"
    assert raised.value.retry_after is not None
    assert 3500 < raised.value.retry_after <= 3600


def test_a_key_without_the_scope_is_refused(made: Made, place: Place) -> None:
    with place.kernel() as kernel:
        host = hosting.host_of(kernel, made.company.slug)
        key = hosting.mint_key(kernel, host, "billing", "reader", ["agent_memory"], None)["key"]
    with Niadra(str(key), base_url=made.url, strict=True, **OPTIONS) as client:
        assert client.agent_memory().enabled
        with pytest.raises(PermissionDeniedError) as raised:
            client.remember(**NOTE)  # type: ignore[arg-type]
    assert raised.value.code == "scope_missing"


def test_the_async_client_does_the_same(made: Made) -> None:
    asyncio.run(_async_story(made))


async def _async_story(made: Made) -> None:
    async with made.async_client(strict=True) as client:
        require_billing(made, await client.whoami())
        kept = await client.remember(**NOTE, tags=["ledger"])  # type: ignore[arg-type]
        assert kept.note is not None
        first = await client.agent_memory(tags=["ledger"])
        again = await client.agent_memory(tags=["ledger"])
        assert (first.notes, first.source, again.source) == ([kept.note.note_id], "network", "cache")
        assert await client.search_agent_memory("ledger") == [kept.note]
        with pytest.raises(UnprocessableEntityError):
            await client.remember("pitfall", "Overdue", NO_PHONE)
    async with made.async_client() as client:
        assert (
            await client.remember("pitfall", "Overdue", NO_PHONE)
        ).error == "personal_data_in_agent_memory"


def test_every_answer_of_the_notes_is_what_its_models_expect(server: RunningServer, company: Company) -> None:
    source_id = company.sources["billing"]
    with httpx.Client(base_url=f"{server.base_url}{MEMORY}", timeout=60) as http:

        def answer(model: type[BaseModel], method: str, path: str, who: str = "billing", **more: Any) -> Any:
            response = http.request(method, path, headers=company.headers(who), **more)
            assert response.is_success, response.text
            return require_faithful(model, response.json())

        note = answer(RememberResult, "POST", "/notes", json=NOTE).note
        edited = answer(AgentNote, "PATCH", f"/notes/{note.note_id}", json={"body": "Lock it, then close."})
        assert (edited.version, edited.supersedes_note_id) == (2, note.note_id)
        assert answer(AgentNote, "GET", f"/notes/{note.note_id}").status == "retired"
        assert answer(AgentNotePage, "GET", "/notes", "reviewer").items == [edited]
        chain = http.get(f"/notes/{edited.note_id}/versions", headers=company.headers("billing")).json()
        assert [require_faithful(AgentNote, version).version for version in chain] == [1, 2]
        assert answer(AgentMemorySearchResponse, "POST", "/search", json={"query": "close"}).notes == [edited]
        assert answer(AgentMemoryBlock, "GET", "/block").notes == [edited.note_id]
        assert answer(AgentNote, "POST", f"/notes/{edited.note_id}/retire").status == "retired"
        query = {"source_id": source_id}
        assert len(answer(AgentMemoryExport, "GET", "/export", "owner", params=query).notes) == 2
        assert answer(ErasedAgentNotes, "DELETE", "/notes", "owner", params=query).deleted == 2


def require_faithful(model: type[BaseModel], body: Any) -> Any:
    """The body as the client's model, after checking that every field of the model is sent and none is null in vain."""
    value = model.model_validate(body)
    own = {name for name in model.model_fields if name != "error"}
    assert own <= body.keys()
    for name in ("tags", "notes", "text", "etag", "tokens", "left_out"):
        assert body.get(name, "") is not None
    return value
