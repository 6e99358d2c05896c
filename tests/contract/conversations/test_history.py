"""The history of a customer: found, leafed through, opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tarimba.conversations import history
from tarimba.conversations.history import HistoryRead
from tarimba.conversations.neighbour import CustomerHandle, Window
from tarimba.conversations.subject import Subject
from tarimba.ids import new_id
from tests.contract.conversations.recorded import ANA, RUI, Recorder, minutes
from tests.contract.notes.world import World, code

ALL = Window()
Search = Callable[..., list[str]]


@pytest.fixture
def search(world: World) -> Search:
    """Searches as `billing`: the texts that are found."""

    def search_it(
        query: str, customer: CustomerHandle = ANA, window: Window = ALL, **asked: Any
    ) -> list[str]:
        caller = world.caller("billing")
        found = history.search(world.kernel, caller, Subject(handle=customer), query, window, **asked)
        return [item.text for item in found.items]

    return search_it


def leaf(world: World, window: Window = ALL, **asked: Any) -> HistoryRead:
    return history.timeline(world.kernel, world.caller("billing"), Subject(handle=ANA), window, **asked)


def test_the_words_of_a_query_decide_whatever_their_form(
    world: World, recorder: Recorder, search: Search
) -> None:
    billing = world.sources["billing"]
    recorder.say(billing, "Quero cancelar a ação da fatura", conversation="c-1")
    recorder.say(billing, "A fatura venceu", conversation="c-1")
    recorder.say(billing, "Bom dia", conversation="c-1")
    assert search("faturas da acao") == [
        "customer: Quero cancelar a ação da fatura",
        "customer: A fatura venceu",
    ]
    assert search("FATURA", limit=1) == ["customer: A fatura venceu"]
    assert search("nothing of that") == []


@pytest.mark.parametrize(
    "query", ["", " ", '"', "%", "* OR 1", "NEAR(a b)", "\\", "'; DROP TABLE turn; --", "—", "𝔉" * 50]
)
def test_an_odd_query_is_answered(recorder: Recorder, search: Search, world: World, query: str) -> None:
    recorder.say(world.sources["billing"], "Where is my invoice?")
    assert search(query) == []


@pytest.mark.promise("history-of-one")
def test_it_is_one_customers(world: World, recorder: Recorder, search: Search) -> None:
    billing = world.sources["billing"]
    mine = recorder.say(billing, "The invoice of Ana", conversation="c-1")
    theirs = recorder.say(billing, "The invoice of Rui", RUI, conversation="c-2")
    assert search("invoice") == ["customer: The invoice of Ana"]
    assert search("invoice", RUI) == ["customer: The invoice of Rui"]
    assert search("invoice", CustomerHandle("email", "nobody@example.com")) == []
    caller = world.caller("billing")

    def opened(item_id: str, **who: Any) -> str:
        return code(lambda: history.opened(world.kernel, caller, Subject(**who), item_id))

    assert opened(mine, handle=ANA) == "ok"
    assert opened(theirs, handle=ANA) == "not_found"
    assert opened(theirs, conversation_id="c-1") == "not_found"
    assert opened(new_id(), handle=ANA) == "not_found"
    assert opened("no id") == "not_found"
    assert opened(theirs) == "ok"


def test_a_claim_in_a_conversation_opens_nobodys_history(world: World, recorder: Recorder) -> None:
    billing = world.sources["billing"]
    recorder.say(billing, "Elsewhere", conversation="c-0")
    recorder.say(billing, "Here", conversation="c-1")
    caller, about = world.caller("billing"), Subject(conversation_id="c-1")
    assert len(history.timeline(world.kernel, caller, about, Window()).items) == 2
    recorder.settle(billing, "c-1", link="unconfirmed")
    (item,) = history.timeline(world.kernel, caller, about, Window()).items
    assert item.text == "customer: Here"


def test_a_timeline_goes_back_page_by_page_while_turns_come_in(world: World, recorder: Recorder) -> None:
    billing = world.sources["billing"]
    for number in range(7):
        recorder.say(billing, f"Turn {number}")
    texts: list[str] = []
    cursor = None
    for _ in range(4):
        page = leaf(world, cursor=cursor, limit=3)
        texts += [item.text for item in page.items]
        recorder.say(billing, "Newer")
        cursor = page.next_cursor
        if cursor is None:
            break
    assert texts == [f"customer: Turn {number}" for number in reversed(range(7))]
    first = leaf(world, limit=3).next_cursor
    assert code(lambda: leaf(world, Window(kinds=frozenset({"action"})), cursor=first)) == "invalid_input"
    assert code(lambda: leaf(world, cursor="x" * 40)) == "invalid_input"


def test_filters_narrow_it(world: World, recorder: Recorder, search: Search) -> None:
    billing = world.sources["billing"]
    recorder.say(billing, "Old invoice", occurred_at=minutes(1), channel="voice")
    recorder.say(billing, "New invoice", occurred_at=minutes(3))
    recorder.say(
        billing, None, kind="action", operation="invoice.send", purpose="asked", occurred_at=minutes(2)
    )
    assert search("invoice", window=Window(since=minutes(2))) == [
        "action: invoice.send (asked)",
        "customer: New invoice",
    ]
    assert search("invoice", window=Window(until=minutes(2))) == ["customer: Old invoice"]
    assert search("invoice", window=Window(channels=frozenset({"voice", "odd"}))) == ["customer: Old invoice"]
    episodes = leaf(world, Window(kinds=frozenset({"episode"}))).items
    assert [(item.kind, item.text) for item in episodes] == [
        ("episode", "customer: New invoice"), ("episode", "customer: Old invoice"),
    ]  # fmt: skip
    (action,) = leaf(world, Window(kinds=frozenset({"action", "fact"}))).items
    assert (action.kind, action.at) == ("action", minutes(2))


def test_opening_shows_what_was_said_around_it(world: World, recorder: Recorder) -> None:
    billing = world.sources["billing"]
    ids = [recorder.say(billing, f"Turn {number}", conversation="c-1") for number in range(30)]
    recorder.say(billing, "Elsewhere", conversation="c-2")
    opened, _ = history.opened(world.kernel, world.caller("billing"), Subject(handle=ANA), ids[15])
    assert (opened.item_id, opened.kind) == (ids[15], "episode")
    assert opened.lines == tuple(f"customer: Turn {number}" for number in range(5, 26))
    lone = recorder.say(billing, "x" * 9000)
    opened, _ = history.opened(world.kernel, world.caller("billing"), Subject(handle=ANA), lone)
    assert opened.lines[0].endswith("x…")
    assert len(opened.lines[0]) < 4100


def test_a_search_costs_no_more_than_it_may(world: World, recorder: Recorder, search: Search) -> None:
    for number in range(30):
        recorder.say(world.sources["billing"], f"Invoice {number}: " + "wait and wait and wait " * 8)
    texts = search("invoice", max_tokens=200, limit=30)
    assert 0 < sum(map(world.kernel.tokenizer.count, texts)) <= 200
    assert len(search("invoice", max_tokens=4000)) == 20


def test_each_read_leaves_a_receipt_without_a_word_of_it(world: World, recorder: Recorder) -> None:
    item_id = recorder.say(world.sources["billing"], "Where is my invoice?", conversation="c-1")
    caller, about = world.caller("billing"), Subject(conversation_id="c-1")
    history.search(world.kernel, caller, about, "invoice", Window())
    history.timeline(world.kernel, caller, about, Window())
    history.opened(world.kernel, caller, about, item_id)
    history.state(world.kernel, caller, about)
    receipts = world.receipts("history.read")
    assert [receipt["detail"]["what"] for receipt in receipts] == ["search", "timeline", "open", "state"]
    key = world.kernel.keys.of(world.space_id)
    assert {receipt["detail"]["conversation"] for receipt in receipts} == {key.commit("c-1")}
    assert receipts[0]["detail"]["query"] == key.commit("invoice")
    assert [receipt["detail"].get("items") for receipt in receipts] == [[item_id]] * 3 + [None]
    assert "invoice" not in str(receipts)


def test_what_became_of_a_conversation(world: World, recorder: Recorder) -> None:
    billing = world.sources["billing"]

    def state(who: str = "billing", **about: Any) -> str:
        return history.state(world.kernel, world.caller(who), Subject(**about))[0]

    assert state(conversation_id="c-1") == "unknown"
    recorder.say(billing, "Hello", conversation="c-1")
    assert (state(conversation_id="c-1"), state(task_id="c-1")) == ("open", "unknown")
    assert (state("support", conversation_id="c-1"), state("courier", conversation_id="c-1")) == (
        "open",
        "unknown",
    )
    recorder.settle(billing, "c-1", ended=True)
    assert state(conversation_id="c-1") == "ready"
    recorder.say(billing, "One more thing", conversation="c-1")
    assert state(conversation_id="c-1") == "open"
    assert code(state) == "invalid_input"
    assert code(lambda: state(conversation_id="c-1", task_id="t-1")) == "invalid_input"
    world.add_key("tracker", "billing", "track")
    world.add_key("notes only", "billing", "agent_memory")
    assert state("tracker", conversation_id="c-1") == "open"
    assert code(lambda: state("notes only", conversation_id="c-1")) == "scope_missing"
