"""The published client of another maker reads contexts and histories of what it recorded, unmodified."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from niadra import AsyncNiadra, Niadra
from niadra.errors import NotFoundError
from niadra.handles import phone, system_id
from niadra.models.context import HistoryFilters

from tests.e2e.company import NOTE, Company, Place, log_of
from tests.e2e.test_independent_client import OPTIONS
from tests.fixtures.server import RunningServer

pytestmark = pytest.mark.promise("clients-unmodified")

ANA = phone("+55 11 91234-5678")
FLUSH_SECONDS = 60
STRICT: dict[str, Any] = {**OPTIONS, "strict": True}


@contextmanager
def connected(server: RunningServer, company: Company, who: str = "billing") -> Iterator[Niadra]:
    with Niadra(company.bearers[who], base_url=server.base_url, **STRICT) as client:
        yield client


def talk(client: Niadra, conversation_id: str, *said: str) -> None:
    """The customer says something in a conversation, and the agent acts."""
    with client.conversation(conversation_id, subject=ANA, channel="whatsapp") as conversation:
        for text in said:
            conversation.customer(text)
        conversation.action("invoice.send", result="sent")
    assert client.flush(FLUSH_SECONDS)
    assert not client.dropped


def test_a_context_holds_what_was_recorded(server: RunningServer, company: Company) -> None:
    with connected(server, company) as client:
        empty = client.context(
            ANA, conversation_id="c-1", target="openai/gpt-4.1", format="json", explain=True
        )
        assert (empty.text, empty.path) == ("", "t2")
        talk(client, "c-0", "Where is my invoice? I am at ana@example.com")
        client.verify("otp_whatsapp", "V2", handle=ANA, conversation_id="c-2")
        found = client.context(ANA, conversation_id="c-2", verification="V2", query="invoice", delta=True)
        assert (found.verification.requested.value, found.verification.effective.value) == ("V2", "V2")
        assert str(found.text).splitlines()[2:] == [
            "- customer: Where is my invoice? I am at [email]",
            "- action: invoice.send: sent",
            "</customer_context>",
        ]
        assert client.context(ANA, conversation_id="c-0", include=["state", "constraints"]).text
        assert (
            client.context(object="invoice:erp:0823", conversation_id="c-2", verification="V2").text
            == found.text
        )


def test_its_bytes_stay_until_the_conversation_ends(server: RunningServer, company: Company) -> None:
    with connected(server, company) as client:
        conversation = client.conversation("c-1", subject=ANA, channel="chat")
        conversation.customer("First")
        assert client.flush(FLUSH_SECONDS)
        first = client.context(ANA, conversation_id="c-1")
        conversation.customer("Second")
        assert client.flush(FLUSH_SECONDS)
        again = client.context(ANA, conversation_id="c-1", use_cache=False)
        assert (again.text, again.etag) == (first.text, first.etag)
        assert "First" in str(first.text)
        assert "Second" not in str(again.text)
        conversation.end()
        assert client.flush(FLUSH_SECONDS)
        assert "Second" in str(client.context(ANA, conversation_id="c-1", use_cache=False).text)


def test_what_the_client_has_is_not_sent_again(server: RunningServer, company: Company, place: Place) -> None:
    with connected(server, company) as client:
        talk(client, "c-1", "First")
        texts = [client.context(ANA, conversation_id="c-1").text for _ in range(3)]
    assert len(set(texts)) == 1
    with place.kernel() as kernel:
        reads = [
            r.document["detail"] for r in log_of(kernel, company) if r.document["action"] == "context.read"
        ]
    assert [read["not_modified"] for read in reads] == [False] + [True] * (len(reads) - 1)


def test_the_history_is_searched_leafed_through_and_opened(server: RunningServer, company: Company) -> None:
    with connected(server, company) as client:
        talk(client, "c-1", "Where is my invoice?", "Thank you")
        filters = HistoryFilters(
            since=datetime(2020, 1, 1, tzinfo=UTC), channels=["whatsapp"], when="last week"
        )
        search = client.search(
            ANA, "invoices", filters=filters, conversation_id="c-1", limit=5, max_tokens=300
        )
        assert search is not None
        assert [item.text for item in search.items] == [
            "action: invoice.send: sent",
            "customer: Where is my invoice?",
        ]
        assert search.ignored == ["when"]
        page = client.timeline(ANA, limit=2)
        assert page is not None
        rest = client.timeline(ANA, limit=2, cursor=page.next_cursor)
        assert rest is not None
        texts = [item.text for item in (*page.items, *rest.items)]
        assert texts == [
            "action: invoice.send: sent",
            "customer: Thank you",
            "customer: Where is my invoice?",
        ]
        opened = client.open(search.items[1].id, subject=ANA, conversation_id="c-1")
        assert opened is not None
        assert (opened.kind, len(opened.summary.splitlines())) == ("episode", 3)
        with pytest.raises(NotFoundError):
            client.open(search.items[1].id, subject=system_id("crm", "C-1042"))


def test_the_tools_of_a_model_reach_it(server: RunningServer, company: Company) -> None:
    with connected(server, company) as client:
        talk(client, "c-1", "Where is my invoice?")
        kit = client.tools(ANA, conversation_id="c-1", agent_memory=True)
        asked = {"query": "invoice", "filters": {"since": "2020-01-01"}}
        found = json.loads(kit.call("search_customer_history", asked))
        assert len(found["items"]) == 2
        leafed = json.loads(
            kit.call("get_customer_timeline", {"filters": {"item_kinds": ["episode", "fact"]}})
        )
        opened = json.loads(kit.call("open_history_item", {"id": leafed["items"][0]["id"]}))
        assert "Where is my invoice?" in opened["summary"]


def test_a_token_a_hint_and_a_state(server: RunningServer, company: Company) -> None:
    with connected(server, company) as client:
        token = client.subject_token(ANA, conversation_id="c-1", verification="V1")
        assert token is not None
        assert 0 < (token.expires_at - datetime.now(UTC)).total_seconds() <= 900
        assert client.prefetch(ANA, text="where is my inv", conversation_id="c-1")
        before = client.ingest_status(conversation_id="c-1")
        talk(client, "c-1", "Hello")
        after = client.ingest_status(conversation_id="c-1")
        assert before is not None
        assert after is not None
        assert (before.state, after.state) == ("unknown", "ready")


def test_a_task_ends_with_its_notes(server: RunningServer, company: Company) -> None:
    agent = f"/v1/admin/agents/{company.sources['billing']}"
    types = {"agent_memory": {"tasks": {"collect": {"object_types": ["invoice"]}}}}
    with (
        connected(server, company) as client,
        httpx.Client(base_url=server.base_url, headers=company.headers("owner"), timeout=60) as owner,
    ):
        assert owner.patch("/v1/admin/settings", json=types).is_success
        client.remember(**NOTE, tags=["invoice"])  # type: ignore[arg-type]
        block = client.agent_memory().text
        client.remember("pitfall", "Parcels", "Weigh them.", tags=["parcel"])
        asked: dict[str, Any] = {"conversation_id": "c-1", "view": "task:collect", "use_cache": False}
        assert client.context(ANA, **asked).text == ""
        assert owner.patch(agent, json={"task_section": True}).is_success
        text = str(client.context(ANA, **asked).text)
    assert text.endswith(f"</customer_context>\n\n{block}")
    assert NOTE["title"] in block


def test_another_vendor_reads_nothing_by_any_id(server: RunningServer, company: Company) -> None:
    with connected(server, company) as client:
        talk(client, "c-1", "Quokka")
        client.verify("otp_whatsapp", "V2", handle=ANA, conversation_id="c-1")
        page = client.timeline(ANA)
        assert page is not None
        item_id = page.items[0].id
    with connected(server, company, "courier") as other:
        assert other.context(ANA, conversation_id="c-1", verification="V2").text == ""
        for found_items in (other.search(ANA, "Quokka", conversation_id="c-1"), other.timeline(ANA)):
            assert found_items is not None
            assert found_items.items == []
        for asked in ({}, {"subject": ANA}, {"conversation_id": "c-1"}):
            with pytest.raises(NotFoundError):
                other.open(item_id, **asked)
        status = other.ingest_status(conversation_id="c-1")
        assert status is not None
        assert status.state == "unknown"


def test_the_async_client_does_the_same(server: RunningServer, company: Company) -> None:
    asyncio.run(_async_story(server, company))


async def _async_story(server: RunningServer, company: Company) -> None:
    async with AsyncNiadra(company.bearers["billing"], base_url=server.base_url, **STRICT) as client:
        async with client.conversation("c-1", subject=ANA, channel="chat") as conversation:
            conversation.customer("Where is my invoice?")
        assert await client.flush(FLUSH_SECONDS)
        context = await client.context(ANA, conversation_id="c-1")
        assert "- customer: Where is my invoice?" in str(context.text)
        search = await client.search(ANA, "invoice")
        timeline = await client.timeline(ANA)
        assert search is not None
        assert timeline is not None
        assert search.items == timeline.items
        opened = await client.open(search.items[0].id, subject=ANA)
        assert opened is not None
        assert opened.summary == "customer: Where is my invoice?"
        assert await client.subject_token(ANA) is not None
        status = await client.ingest_status(conversation_id="c-1")
        assert status is not None
        assert status.state == "ready"
