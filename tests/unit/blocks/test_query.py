"""Reading the query string of the block by its fast path and by the general one."""

import re
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.blocks.query import _pairs
from tarimba.errors import Refusal


@given(st.text("ab1=&;%+_-.:", max_size=40))
def test_what_needs_no_decoding_is_read_as_the_general_reader_does(text: str) -> None:
    try:
        wanted = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=200)
    except ValueError:
        return
    if re.search("%(?![0-9a-f]{2})", text):
        with pytest.raises(Refusal):
            _pairs(text.encode())
    else:
        assert _pairs(text.encode()) == wanted
