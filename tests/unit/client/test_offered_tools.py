"""Which tools a framework that keeps them goes on offering to its model."""

from __future__ import annotations

from typing import Any

from tarimba.client import definitions
from tarimba.client.integrations.offered import still_listed
from tarimba.client.tools import Tool


async def _later(_given: Any) -> str:
    return ""


def _listed(*names: str) -> list[Tool]:
    return [Tool(name, "", {}, lambda _given: "", _later) for name in names]


def _offered(*names: str) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": name}} for name in names]


OURS = {definitions.SEARCH, definitions.REMEMBER}


def test_what_the_server_lists_no_longer_is_offered_no_longer() -> None:
    offered = _offered(definitions.SEARCH, definitions.REMEMBER, "post_credit")
    assert still_listed(offered, OURS, _listed(definitions.SEARCH)) == _offered(
        definitions.SEARCH, "post_credit"
    )


def test_a_tool_of_the_callers_is_offered_whatever_its_name() -> None:
    offered = _offered(definitions.SEARCH, definitions.REMEMBER)
    assert still_listed(offered, {definitions.SEARCH}, ()) == _offered(definitions.REMEMBER)


def test_without_tools_none_are_offered() -> None:
    assert still_listed(None, OURS, ()) is None
    assert still_listed(_offered(definitions.SEARCH), OURS, ()) is None


def test_a_tool_may_be_described_without_its_type() -> None:
    assert still_listed([{"name": definitions.SEARCH}], OURS, ()) is None
