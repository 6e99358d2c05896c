"""The tools for a model: what is offered, and that a call answers in words whatever happens."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from tarimba.client.definitions import SEARCH_DEFINITION
from tarimba.notes.tools import remember_tool, search_tool
from tests.unit.client.scripted import NOTE, Script

LISTED = [search_tool(), remember_tool(120, 2000)]
FOUND = httpx.Response(200, json={"notes": [NOTE]})


@pytest.mark.promise("client-tools")
def test_the_tool_that_needs_no_server_is_the_servers() -> None:
    assert dict(SEARCH_DEFINITION) == search_tool()


@pytest.mark.promise("client-tools")
def test_writing_is_offered_only_when_asked_for_and_listed() -> None:
    script = Script(httpx.Response(200, json=LISTED))
    client = script.client()
    assert [tool.name for tool in client.tools()] == ["search_agent_memory"]
    both = client.tools(write=True)
    assert [tool.definition for tool in both] == LISTED
    assert len(script.sent) == 1, "the list is kept for a while"
    reader = Script(httpx.Response(200, json=LISTED[:1])).client()
    assert [tool.name for tool in reader.tools(write=True)] == ["search_agent_memory"]
    assert client.tools(agent_memory=False) == ()


@pytest.mark.promise("client-tools")
@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (httpx.Response(401, json={"code": "unauthorized", "detail": "no"}), []),
        (httpx.Response(501, json={"code": "not_implemented", "detail": "no"}), ["search_agent_memory"]),
        (httpx.Response(200, json={"tools": []}), ["search_agent_memory"]),
    ],
)
def test_a_list_that_can_not_be_read_is_asked_for_again_later(
    answer: httpx.Response, names: list[str]
) -> None:
    script = Script(answer)
    client = script.client()
    assert [tool.name for tool in client.tools(write=True)] == names
    client.tools()
    assert len(script.sent) == 1
    script.now += 6
    script.then(httpx.Response(200, json=LISTED))
    assert len(client.tools(write=True)) == 2


@pytest.mark.promise("client-tools")
def test_a_call_answers_what_a_model_can_act_on() -> None:
    script = Script(httpx.Response(200, json=LISTED))
    search, remember = script.client().tools(write=True)
    script.then(FOUND)
    assert json.loads(search.run({"query": "credit", "tags": "erp"}))["notes"][0]["title"] == NOTE["title"]
    assert json.loads(script.sent[-1].content)["tags"] == ["erp"]
    refused = {"code": "personal_data_in_agent_memory", "detail": "no", "kinds": ["email"], "findings": []}
    script.then(httpx.Response(422, json=refused))
    told = json.loads(remember.run({"kind": "pitfall", "title": "t", "body": "b"}))
    assert told["error"] == "personal_data_in_agent_memory"
    assert "email" in told["detail"]
    script.then(httpx.Response(503, json={"code": "unavailable", "detail": "Try again."}))
    assert json.loads(search.run({"query": "credit"}))["notes"] == []
    script.then(httpx.Response(200, json={"note": NOTE, "warnings": []}))
    assert json.loads(remember.run({"kind": "pitfall", "title": "t", "body": "b"})) == {
        "note_id": NOTE["note_id"]
    }


@pytest.mark.parametrize("given", [{}, {"query": ""}, {"query": 7}, {"query": None}, {"tags": ["x"]}])
def test_arguments_that_make_no_sense_are_told_and_not_sent(given: dict[str, Any]) -> None:
    script = Script(httpx.Response(200, json=LISTED))
    search, remember = script.client().tools(write=True)
    assert json.loads(search.run(given))["error"] == "invalid_input"
    assert json.loads(asyncio.run(_awaited(remember, given)))["error"] == "invalid_input"
    assert len(script.sent) == 1


def test_a_call_can_be_awaited() -> None:
    script = Script(httpx.Response(200, json=LISTED))
    (search,) = script.client().tools()
    script.then(FOUND)
    assert json.loads(asyncio.run(_awaited(search, {"query": "credit"})))["notes"]


async def _awaited(tool: Any, given: dict[str, Any]) -> str:
    text: str = await tool.arun(given)
    return text
