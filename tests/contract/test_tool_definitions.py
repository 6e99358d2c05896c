"""One definition of each tool, the same JSON wherever a model is given it: `tests/data/tools`, in default limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import ListToolsResult

from tarimba.client.definitions import SEARCH_DEFINITION
from tarimba.conversations import subject
from tarimba.conversations.subject import Subject
from tests.contract.conversations.recorded import ANA
from tests.contract.conversations.talks import Talks
from tests.contract.mcp.served import serving
from tests.contract.notes.world import World

pytestmark = pytest.mark.promise("one-definition-of-tools")

GOLDEN = Path(__file__).parents[1] / "data" / "tools"
NAMES = (
    "search_customer_history",
    "get_customer_timeline",
    "open_history_item",
    "search_agent_memory",
    "remember",
)


def golden() -> list[dict[str, Any]]:
    """The five, in the order in which they are listed."""
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(NAMES)
    return [json.loads((GOLDEN / f"{name}.json").read_text()) for name in NAMES]


def test_the_api_gives_them_in_exactly_these_words(world: World) -> None:
    talks = Talks(world)
    assert talks.ask("GET", "/v1/history/tools?agent_memory=true").json() == golden()
    assert talks.ask("GET", "/v1/history/tools").json() == golden()[:3]
    assert talks.ask("GET", "/v1/agent-memory/tools").json() == golden()[3:]


def test_over_mcp_they_are_the_same(world: World) -> None:
    who = world.caller("billing")
    token = subject.mint(world.kernel, who, Subject(handle=ANA), None).token

    async def listed(client: Client) -> ListToolsResult:
        return await client.list_tools()

    with serving(world) as served:
        served.headers = {"Tarimba-Subject-Token": token}
        tools = served.ask("billing", "2026-07-28", listed).tools
    functions = [
        {"name": one.name, "description": one.description, "parameters": one.input_schema} for one in tools
    ]
    assert [{"type": "function", "function": one} for one in functions] == golden()


def test_the_client_knows_the_search_without_being_told() -> None:
    assert dict(SEARCH_DEFINITION) == golden()[3]


def test_each_says_when_not_to_call_it_and_takes_no_customer() -> None:
    for one in golden():
        function = one["function"]
        assert "Do not call it" in function["description"]
        fields = json.dumps(function["parameters"])
        assert not any(word in fields for word in ('"subject', '"customer', '"conversation_id', '"task_id'))
