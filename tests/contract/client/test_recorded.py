"""What a client records, as the server has it: masked, in order, and with the read that the agent had before."""

import asyncio
import logging
from typing import Any

import pytest
from sqlalchemy import select

from tarimba.client import Conversation, Handle
from tarimba.storage.tables import conversation, turn
from tests.contract.client.company import Company
from tests.unit.client.kinds import Awaited

CUSTOMER = "somebody@example.com"


def turns(company: Company) -> list[dict[str, Any]]:
    with company.world.kernel.database.read() as connection:
        query = select(turn).where(turn.c.kind.in_(("message", "action"))).order_by(turn.c.ordinal)
        rows = connection.execute(query).mappings()
        return [dict(row) for row in rows]


@pytest.mark.promise("recorded-in-background")
def test_a_conversation_arrives_masked_and_says_what_the_agent_had_read(
    company: Company, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "tarimba.client")
    company.world.write("billing")
    with company.client() as client:
        threaded = client.client.synchronous if isinstance(client, Awaited) else client
        with threaded.conversation("c-1", customer=[Handle("email", CUSTOMER)]) as told:
            told.customer(f"Write to {CUSTOMER}")
            block = client.agent_memory(conversation_id="c-1")
            told.injected(block)
            told.agent("I will.")
            told.action("invoice.void", result="ok")
        with threaded.task("t-1", conversation_id="c-1") as done:
            done.action("refund", purpose="billed twice")
        assert threaded.flush(60)
        assert (threaded.recorded.waiting, threaded.recorded.dropped) == (0, 0)
        shown = repr([told, done, threaded, block, threaded.recorded])
    said = turns(company)
    assert [one["text"] for one in said] == ["Write to [email]", "I will.", None, None]
    assert [one["operation"] for one in said] == [None, None, "invoice.void", "refund"]
    assert [one["role"] for one in said] == ["customer", "ai_agent", "ai_agent", "ai_agent"]
    (read,) = company.world.receipts("block.read")
    assert [one["read_receipt_id"] for one in said[:2]] == [None, read["id"]]
    assert read["id"] == block.receipt_id
    assert company.world.count(conversation, conversation.c.ended_at.is_not(None)) == 2
    assert not [secret for secret in (CUSTOMER, "I will", "invoice.void") if secret in caplog.text + shown]


@pytest.mark.promise("recorded-in-background")
def test_a_loop_records_without_waiting_and_closing_sends_what_waits(company: Company) -> None:
    async def talk() -> None:
        async with company.awaited() as client:
            with client.conversation("c-1") as told:
                for number in range(250):
                    told.customer(f"Line {number}")
            assert await client.flush(60)
            assert client.recorded.sent == 251

    asyncio.run(talk())
    assert [one["text"] for one in turns(company)] == [f"Line {number}" for number in range(250)]


def test_a_key_that_may_not_record_is_counted_and_breaks_nothing(company: Company) -> None:
    company.world.add_key("reader", "billing", "agent_memory")
    with company.threaded("reader") as client:
        told: Conversation = client.conversation("c-1")
        told.customer("Hello")
        assert client.flush(60)
        assert client.recorded.dropped == 1
    assert turns(company) == []
