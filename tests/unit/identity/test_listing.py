"""Cursors of lists: opaque, and good for one list and one caller."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.errors import Refusal
from tarimba.identity.listing import Window, page_of, read_cursor, write_cursor
from tarimba.vault import SpaceKey

KEY = SpaceKey(b"k" * 32)


@dataclass
class Entry:
    ordinal: int


@given(st.integers(0, 2**53))
def test_a_cursor_says_where_the_page_ended(ordinal: int) -> None:
    assert read_cursor(KEY, "agents\0rita", write_cursor(KEY, "agents\0rita", ordinal)) == ordinal


def test_no_cursor_is_the_beginning() -> None:
    assert read_cursor(KEY, "agents", None) == 0


@given(st.text(max_size=60))
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_cursor(KEY, "agents", text)
    assert refused.value.code == "invalid_input"


def test_a_cursor_of_another_list_caller_or_space_is_refused() -> None:
    cursor = write_cursor(KEY, "agents\0rita", 7)
    for key, scope in ((KEY, "keys\0rita"), (KEY, "agents\0ana"), (SpaceKey(b"x" * 32), "agents\0rita")):
        with pytest.raises(Refusal):
            read_cursor(key, scope, cursor)


def test_a_page_ends_only_when_there_is_more() -> None:
    entries = [Entry(ordinal) for ordinal in (3, 5, 9)]
    assert page_of(entries, Window(2)).ends_at == 5
    assert page_of(entries[:2], Window(2)).ends_at is None
    assert page_of([], Window(2)).items == ()
