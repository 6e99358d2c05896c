"""Cursors: what a list gave to a caller, and nothing else, says where that list goes on for that caller."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.errors import Refusal
from tarimba.pages import read_cursor, write_cursor
from tarimba.vault import SpaceKey

KEY = SpaceKey(b"k" * 32)


@given(st.integers(0, 2**53))
def test_a_cursor_says_where_the_page_ended(ordinal: int) -> None:
    assert read_cursor(KEY, "agents\0rita", write_cursor(KEY, "agents\0rita", ordinal)) == ordinal


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


def test_a_cursor_does_not_show_its_place() -> None:
    hidden = [base64.urlsafe_b64decode(write_cursor(KEY, "notes", place)) for place in (1, 2, 3)]
    assert len({raw[-8:-1] for raw in hidden}) == 3
