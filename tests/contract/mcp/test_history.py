"""A customer's history over MCP: the customer is bound by the header, never by the model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tarimba.clock import SECOND
from tarimba.conversations import subject
from tarimba.conversations.neighbour import CustomerHandle
from tarimba.conversations.subject import Subject
from tests.contract.conversations.recorded import ANA, RUI, Recorder
from tests.contract.mcp.served import ERAS, Served, text
from tests.contract.mcp.test_tools import names, refusal
from tests.problems import assert_problem

pytestmark = [pytest.mark.parametrize("era", ERAS), pytest.mark.promise("history-over-mcp")]

HISTORY = ["search_customer_history", "get_customer_timeline", "open_history_item"]
NOTES = ["search_agent_memory", "remember"]
LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture
def recorder(served: Served) -> Recorder:
    return Recorder(served.world.kernel, served.world.space_id)


def token(served: Served, who: str = "billing", customer: CustomerHandle = ANA) -> str:
    """A token of the key for the customer."""
    world = served.world
    return subject.mint(world.kernel, world.caller(who), Subject(handle=customer), None).token


def bound(served: Served, value: str, header: str = "Tarimba-Subject-Token") -> Served:
    """The same server, asked with the header."""
    served.headers = {header: value}
    return served


@pytest.mark.parametrize("header", ["Tarimba-Subject-Token", "Niadra-Subject-Token"])
def test_the_history_is_listed_for_a_bound_customer_and_a_key_that_may_read_it(
    served: Served, era: str, header: str
) -> None:
    assert names(served, era, "billing") == NOTES
    served.world.add_key("reader", "billing", "agent_memory")
    served.world.add_key("context", "billing", "context")
    bound(served, token(served), header)
    assert names(served, era, "billing") == HISTORY + NOTES
    assert names(served, era, "context") == [*HISTORY, "search_agent_memory"]
    assert names(served, era, "reader") == ["search_agent_memory"]
    assert names(bound(served, "", header), era, "billing") == NOTES


def test_no_tool_takes_a_customer(served: Served, era: str, recorder: Recorder) -> None:
    recorder.say(served.world.sources["billing"], "Of Rui", RUI)
    bound(served, token(served))
    for named in ("subject", "subject_token", "customer", "conversation_id"):
        arguments = {"query": "Rui", named: RUI.value}
        result = served.call("billing", era, "search_customer_history", **arguments)
        assert result.is_error
        assert refusal(result)["code"] == "invalid_input"
        assert RUI.value not in text(result)


def test_it_is_searched_leafed_through_and_opened(served: Served, era: str, recorder: Recorder) -> None:
    billing = served.world.sources["billing"]
    recorder.say(billing, "Of Rui", RUI, conversation="c-9")
    recorder.say(billing, "The invoice is wrong", conversation="c-1")
    recorder.say(billing, "Call me on Friday", conversation="c-1")
    bound(served, token(served))
    found = content(served, era, "search_customer_history", query="invoice", filters={"channels": ["chat"]})
    assert [item["text"] for item in found["items"]] == ["customer: The invoice is wrong"]
    first = content(served, era, "get_customer_timeline", limit=1)
    rest = content(served, era, "get_customer_timeline", cursor=first["next_cursor"])
    listed = [item["text"] for item in first["items"] + rest["items"]]
    assert listed == ["customer: Call me on Friday", "customer: The invoice is wrong"]
    assert rest["next_cursor"] is None
    opened = content(served, era, "open_history_item", id=found["items"][0]["id"])
    assert opened["kind"] == "episode"
    assert "Friday" in opened["summary"]


def test_each_call_leaves_its_receipt(served: Served, era: str, recorder: Recorder) -> None:
    item = recorder.say(served.world.sources["billing"], "The invoice is wrong")
    bound(served, token(served))
    answers = [
        content(served, era, "search_customer_history", query="invoice"),
        content(served, era, "get_customer_timeline"),
        content(served, era, "open_history_item", id=item),
    ]
    receipts = served.world.receipts("history.read")
    assert [one["id"] for one in receipts] == [answer["receipt_id"] for answer in answers]
    assert [(one["via"], one["detail"]["what"], one["detail"]["items"]) for one in receipts] == [
        ("mcp", what, [item]) for what in ("search", "timeline", "open")
    ]
    assert ANA.value not in json.dumps(receipts)


def test_another_customers_item_is_not_opened(served: Served, era: str, recorder: Recorder) -> None:
    item = recorder.say(served.world.sources["billing"], "Of Rui", RUI)
    result = bound(served, token(served)).call("billing", era, "open_history_item", id=item)
    assert refusal(result)["code"] == "not_found"


def test_without_a_customer_nothing_is_read(served: Served, era: str, recorder: Recorder) -> None:
    item = recorder.say(served.world.sources["billing"], "The invoice is wrong")
    for tool, given in (
        ("search_customer_history", {"query": "invoice"}),
        ("get_customer_timeline", {}),
        ("open_history_item", {"id": item}),
    ):
        result = served.call("billing", era, tool, **given)
        assert "`Tarimba-Subject-Token`" in text(result)
        assert refusal(result)["code"] == "invalid_input"
    assert not served.world.receipts("history.read")


def test_a_token_that_is_none_over_or_anothers_is_refused_in_words(served: Served, era: str) -> None:
    mine = token(served)
    changed = mine[:-1] + ("A" if mine[-1] != "A" else "B")
    for who, given in (("billing", "secretive"), ("billing", changed), ("courier", mine)):
        result = bound(served, given).call(who, era, "get_customer_timeline")
        assert refusal(result)["code"] == "not_found"
        assert "POST /v1/subject-tokens" in text(result)
        assert given not in result.model_dump_json()
    served.world.kernel.clock.offset_us += 901 * SECOND
    served.world.write("billing", "A note moves the time of its space")
    result = bound(served, mine).call("billing", era, "get_customer_timeline")
    assert "15 minutes are over" in text(result)
    assert not served.world.receipts("history.read")


def test_a_key_without_the_scope_reads_no_history(served: Served, era: str) -> None:
    served.world.add_key("reader", "billing", "agent_memory")
    for given in (token(served), ""):
        result = bound(served, given).call("reader", era, "get_customer_timeline")
        assert refusal(result)["code"] == "scope_missing"


def test_two_customers_at_once_are_refused(served: Served, era: str) -> None:
    one, other = token(served), token(served, customer=RUI)
    version = None if era == "legacy" else era
    both: dict[str, Any] = {"Tarimba_Subject_Token": one, "Niadra_Subject_Token": other}
    problem = assert_problem(served.post(LIST, version=version, **both), "invalid_input", 400)
    assert "Niadra-Subject-Token" in problem["detail"]
    assert one not in json.dumps(problem)
    served.headers = {"Tarimba-Subject-Token": one, "Niadra-Subject-Token": one}
    assert names(served, era, "billing") == HISTORY + NOTES


def test_a_wrong_argument_is_named_by_its_rule(served: Served, era: str) -> None:
    bound(served, token(served))
    for given, field in (
        ({"query": "x", "filters": {"since": "secretive"}}, "filters.since"),
        ({"query": "x", "filters": {"item_kinds": ["secretive"]}}, "filters.item_kinds"),
        ({"query": "x", "max_tokens": 5}, "max_tokens"),
        ({"query": ""}, "query"),
    ):
        result = served.call("billing", era, "search_customer_history", **given)
        assert field in text(result)
        assert "secretive" not in result.model_dump_json()


def content(served: Served, era: str, tool: str, **given: Any) -> dict[str, Any]:
    result = served.call("billing", era, tool, **given)
    assert not result.is_error, text(result)
    assert result.structured_content is not None
    assert json.loads(text(result)) == result.structured_content
    found: dict[str, Any] = result.structured_content
    return found
