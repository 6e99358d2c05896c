"""The filters of a store, as LangGraph describes them."""

from __future__ import annotations

from typing import Any

import pytest

from tarimba.client.integrations.langgraph_filter import matches

VALUE = {"body": "Close the month.", "tags": ["report"], "more": {"times": 3}}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (None, True),
        ({}, True),
        ({"body": "Close the month."}, True),
        ({"body": "Close the year."}, False),
        ({"tags": ["report"]}, True),
        ({"tags": ("report",)}, True),
        ({"tags": []}, False),
        ({"tags": "report"}, False),
        ({"more": {"times": 3}}, True),
        ({"body": {"times": 3}}, False),
        ({"more": {"times": {"$gte": 3, "$lt": 4}}}, True),
        ({"more": {"times": {"$gt": 3}}}, False),
        ({"more": {"times": {"$lte": 2}}}, False),
        ({"body": {"$eq": "Close the month."}}, True),
        ({"body": {"$ne": "Close the month."}}, False),
        ({"colour": None}, True),
    ],
)
def test_all_fields_have_to_be_as_wanted(wanted: dict[str, Any] | None, found: bool) -> None:
    assert matches(VALUE, wanted) is found


@pytest.mark.parametrize("wanted", [{"body": {"$in": ["a"]}}, {"body": {"$gt": 3}}, {"colour": {"$gt": 3}}])
def test_what_cannot_be_compared_is_said(wanted: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^A filter (by order )?compares"):
        matches(VALUE, wanted)
