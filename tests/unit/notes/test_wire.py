"""Moments and tools as they go over the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.clock import rfc3339
from tarimba.notes.requests import CreateBody, EditBody
from tarimba.notes.tools import remember_tool, search_tool
from tarimba.notes.wire import moment


@given(st.integers(0, 253_402_300_799_999_999))
def test_a_moment_comes_back_to_the_microsecond(at: int) -> None:
    assert moment(rfc3339(at)) == at


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("1970-01-01T00:00:01Z", 1_000_000),
        ("1970-01-01t00:00:01z", 1_000_000),
        ("1970-01-01 01:00:00.5+01:00", 500_000),
        ("1969-12-31T23:00:00-02:00", 3_600_000_000),
    ],
)
def test_every_way_to_write_a_moment(written: str, at: int) -> None:
    assert moment(written) == at


@pytest.mark.parametrize(
    "written",
    [
        "",
        "now",
        "1970-01-01",
        "1970-01-01T00:00:00",
        "1970-01-01T00:00Z",
        "19700101T000000Z",
        "1970-W01-4T00:00:00Z",
        "1970-02-30T00:00:00Z",
        "1970-01-01T24:30:00Z",
        "1970-01-01T00:00:60Z",
        "1970-01-01T00:00:00+24:00",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00Z\n",
        "١٩٧٠-01-01T00:00:00Z",
    ],
)
def test_nothing_else_is_a_moment(written: str) -> None:
    with pytest.raises(ValueError, match=r"moment|range|calendar|1970|must be|isoformat"):
        moment(written)


def test_an_absent_end_stays_and_a_null_one_goes() -> None:
    body = EditBody.model_validate_json('{"valid_until": null}')
    assert body.changes(frozenset(body.model_fields_set)).clears_end
    assert not EditBody.model_validate({}).changes(frozenset()).clears_end


def test_null_is_as_good_as_absent_where_there_is_a_default() -> None:
    sent = '{"kind":"pitfall","title":"T","body":"B","tags":null,"visibility":null,"evidence":null}'
    draft = CreateBody.model_validate_json(sent).draft()
    assert (draft.tags, draft.visibility, draft.evidence) == ((), "source", None)


def test_each_tool_says_when_not_to_use_it() -> None:
    for tool in (search_tool(), remember_tool(120, 2000)):
        assert "Do not call it" in tool["function"]["description"]
        assert "customer" in tool["function"]["description"]
    assert "search_customer_history" in search_tool()["function"]["description"]


def test_a_tool_can_be_changed_by_who_got_it_without_harm_to_others() -> None:
    search_tool()["function"]["parameters"]["properties"].clear()
    assert set(search_tool()["function"]["parameters"]["properties"]) == {"query", "tags"}
