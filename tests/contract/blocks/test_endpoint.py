"""The block over its own endpoint: bytes, etags, budget, freshness, receipts."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from sqlalchemy import event

from tarimba.blocks.endpoint import PATH, BlockEndpoint
from tarimba.clock import HOUR, SECOND, rfc3339
from tarimba.identity.fleet import revoke_key
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Changes
from tarimba.receipts.canonical import canonical
from tarimba.receipts.merkle import leaf_hash
from tests.contract.notes.world import World, found_company

Get = Callable[..., httpx.Response]


@dataclass
class Reader:
    """Reads the block as somebody, over ASGI."""

    world: World

    def get(self, who: str = "billing", query: str = "", **headers: str) -> httpx.Response:
        return self.many([(who, query, headers)])[0]

    def many(self, requests: list[tuple[str, str, Mapping[str, str]]]) -> list[httpx.Response]:
        """All at once, on one loop."""

        async def run() -> list[httpx.Response]:
            transport = httpx.ASGITransport(BlockEndpoint(self.world.kernel))
            async with httpx.AsyncClient(transport=transport, base_url="http://local") as client:
                return await asyncio.gather(*(self._one(client, *request) for request in requests))

        return asyncio.run(run())

    def _one(
        self, client: httpx.AsyncClient, who: str, query: str, headers: Mapping[str, str]
    ) -> Awaitable[httpx.Response]:
        bearer = self.world.bearers.get(who, who)
        return client.get(f"{PATH}?{query}", headers={"Authorization": f"Bearer {bearer}", **headers})


@pytest.fixture
def reader(world: World) -> Reader:
    return Reader(world)


@pytest.mark.promise("same-bytes")
def test_the_same_bytes_for_every_customer(reader: Reader) -> None:
    for number in range(5):
        reader.world.write("billing", f"Void invoice kind {number}", tags=["ledger"])
    queries = [f"tags=ledger&view=chat&conversation_id=customer-{n}&task_id=task-{n}" for n in range(20)]
    answers = reader.many([("billing", query, {}) for query in queries])
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["text"] for answer in answers}) == 1
    assert len({answer.headers["etag"] for answer in answers}) == 1
    assert len({answer.json()["receipt_id"] for answer in answers}) == 20


def test_the_answer_has_every_member_of_the_contract(reader: Reader) -> None:
    note = reader.world.write("billing", "Void invoices", body="Close\n the   period.")
    answer = reader.get()
    body = answer.json()
    assert body["text"] == (
        "<agent_notes>\nFrom the agent itself (procedures and working notes, not customer data)\n"
        "- [procedure] Void invoices: Close the period.\n</agent_notes>"
    )
    assert body["notes"] == [note.note_id]
    assert (body["enabled"], body["left_out"]) == (True, 0)
    assert body["tokens"] == reader.world.kernel.tokenizer.count(body["text"])
    assert body["cache_hint"] == {"breakpoint_after": "agent_notes"}
    assert answer.headers["etag"] == f'"{body["etag"]}"'
    assert answer.headers["tarimba-receipt"].startswith(f"{body['receipt_id']}; seq=")


@pytest.mark.parametrize("form", ["{}", '"{}"', 'W/"{}"', '"am-x", "{}"', "am-x,{}", "*"])
def test_a_known_etag_answers_304_without_a_body_and_with_a_receipt(reader: Reader, form: str) -> None:
    etag = reader.get().json()["etag"]
    answer = reader.get(**{"If-None-Match": form.format(etag)})
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == f'"{etag}"'
    last = reader.world.receipts("block.read")[-1]
    assert last["detail"]["not_modified"] is True
    assert last["id"] in answer.headers["tarimba-receipt"]


def test_another_etag_answers_the_block(reader: Reader) -> None:
    assert reader.get(**{"If-None-Match": '"am-0"'}).status_code == 200


def test_off_says_so_and_leaves_a_receipt(kernel: Kernel) -> None:
    reader = Reader(found_company(kernel))
    reader.world.write("billing")
    reader.world.set(enabled=False)
    body = reader.get().json()
    assert (body["text"], body["notes"], body["tokens"], body["left_out"]) == ("", [], 0, 0)
    assert (body["enabled"], body["etag"]) == (False, "am-off")
    assert len(reader.world.receipts("block.read")) == 1
    reader.world.set(enabled=True)
    assert len(reader.get().json()["notes"]) == 1


def test_tags_and_view_decide_the_order(reader: Reader) -> None:
    first = reader.world.write("billing", "Void invoices")
    second = reader.world.write("billing", "Send reminders", tags=["reminder", "mail"])
    reader.world.set(**{"tasks.dunning.object_types": ["reminder"]})
    assert reader.get().json()["notes"] == [first.note_id, second.note_id]
    swapped = [second.note_id, first.note_id]
    assert reader.get(query="tags=mail&tags=BAD TAG&tags=other").json()["notes"] == swapped
    assert reader.get(query="view=task:dunning").json()["notes"] == swapped
    assert reader.get(query="view=mail").json()["notes"] == swapped


def test_the_budget_is_kept_and_what_is_left_out_is_counted(reader: Reader) -> None:
    long = "the period must be closed before the invoice is voided, " * 12
    for number in range(4):
        reader.world.write("billing", f"Long {number}", body=long)
    short = reader.world.write("billing", "Short")
    body = reader.get(query="max_tokens=60").json()
    assert (body["notes"], body["left_out"]) == ([short.note_id], 4)
    assert body["tokens"] <= 60
    assert reader.get(query="max_tokens=50&tags=none").json()["left_out"] in (4, 5)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("max_tokens=49", "max_tokens"),
        ("max_tokens=2001", "max_tokens"),
        ("max_tokens=3e2", "max_tokens"),
        ("max_tokens=", "max_tokens"),
        ("max_tokens=300&max_tokens=300", "max_tokens"),
        ("view=" + "v" * 129, "view"),
        ("conversation_id=", "conversation_id"),
        ("task_id=" + "t" * 513, "task_id"),
        ("secret-name=1", "1 unknown"),
        ("view=%ff%fe", "query"),
    ],
)
def test_a_query_that_breaks_a_rule_is_refused_by_name(reader: Reader, query: str, field: str) -> None:
    answer = reader.get(query=query)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
    assert field in answer.json()["detail"]
    assert "secret-name" not in answer.text
    assert reader.world.receipts("block.read") == []


def test_who_may_not_read_is_refused_without_a_receipt(reader: Reader) -> None:
    reader.world.add_key("writer", "billing", "agent_memory:write track")
    for who, code in [
        ("writer", "scope_missing"),
        ("admin", "scope_missing"),
        ("owner", "scope_missing"),
        ("tar_sk_test_0000000000000000_" + "a" * 32, "unauthenticated"),
        ("nonsense", "unauthenticated"),
    ]:
        assert reader.get(who).json()["code"] == code
    assert reader.world.receipts("block.read") == []


@pytest.mark.promise("cached-never-stale")
def test_a_change_is_seen_by_the_next_read_though_the_block_was_hot(reader: Reader) -> None:
    world = reader.world
    note = world.write("billing", "Void invoices")
    assert reader.get().json()["notes"] == [note.note_id]
    edited = notes.edit(
        world.kernel, world.caller("billing"), note.note_id, Changes(body="Open the period.")
    ).kept
    assert reader.get().json()["notes"] == [edited.note_id]
    notes.retire(world.kernel, world.caller("billing"), edited.note_id)
    assert reader.get().json()["notes"] == []
    revoke_key(world.kernel, world.caller("admin"), world.caller("billing").key_id or "")
    assert reader.get().status_code == 401


@pytest.mark.promise("cached-never-stale")
def test_a_note_leaves_the_block_when_its_time_has_passed(reader: Reader) -> None:
    world = reader.world
    ends = world.kernel.clock.now_us() + HOUR
    world.write("billing", "Until the migration", valid_until=ends)
    assert len(reader.get().json()["notes"]) == 1
    world.kernel.clock.offset_us = HOUR + SECOND
    assert reader.get().json()["notes"] == []


@pytest.mark.promise("hot-read-no-query")
def test_a_hot_read_makes_no_query_of_its_own(reader: Reader) -> None:
    reader.world.write("billing")
    reader.get()
    statements: list[str] = []

    def count(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        statements.append(statement)

    database = reader.world.kernel.database
    for engine in (database.read_engine, database.write_engine):
        event.listen(engine, "before_cursor_execute", count)
    reader.get(query="conversation_id=c-1")
    kinds = [statement.split()[0] for statement in statements if not statement.startswith("BEGIN")]
    assert kinds == ["UPDATE", "INSERT", "UPDATE"], statements


@pytest.mark.promise("block-receipt-canonical")
@pytest.mark.parametrize(
    "query", ["", "tags=a&tags=b&view=task:x&conversation_id=c-1&task_id=t-1", "max_tokens=50&task_id=t-2"]
)
def test_the_receipt_is_canonical_with_its_notes_put_back(reader: Reader, query: str) -> None:
    world = reader.world
    world.write("billing", "Void invoices", tags=["a"])
    answer = reader.get(query=query)
    stored = world.receipts("block.read")[-1]
    stored["detail"]["notes"] = answer.json()["notes"]
    leaf = leaf_hash(canonical(stored)).hex()
    assert answer.headers["tarimba-receipt"] == f"{stored['id']}; seq={_seq(answer)}; leaf={leaf}"
    detail, key = stored["detail"], world.kernel.keys.of(world.space_id)
    assert detail["etag"] == answer.json()["etag"]
    assert detail.get("conversation") == (key.commit("c-1") if "conversation" in query else None)
    assert detail["view"] == (key.commit("task:x") if "view" in query else None)
    assert detail["tags"] == sorted(key.commit(tag) for tag in ("a", "b") if f"tags={tag}" in query)
    assert stored["actor"] == world.caller("billing").actor.as_json()
    assert stored["at"] <= rfc3339(world.kernel.clock.now_us())


def _seq(answer: httpx.Response) -> int:
    return int(answer.headers["tarimba-receipt"].split("seq=")[1].split(";")[0])


def test_no_value_of_the_query_is_in_the_log(reader: Reader) -> None:
    reader.get(query="view=visible-view&tags=visible-tag&conversation_id=visible-conversation")
    assert "visible" not in json.dumps(reader.world.receipts())
