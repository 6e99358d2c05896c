import json
import math
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tarimba.receipts.canonical import canonical

VECTORS = Path(__file__).parents[2] / "data" / "jcs"
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


@pytest.mark.parametrize("name", sorted(path.name for path in (VECTORS / "input").iterdir()))
def test_the_published_vectors(name: str) -> None:
    value = json.loads((VECTORS / "input" / name).read_text("utf-8"))
    assert canonical(value) == (VECTORS / "output" / name).read_bytes()


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0.0, b"0"),
        (-0.0, b"0"),
        (5e-324, b"5e-324"),
        (-1.7976931348623157e308, b"-1.7976931348623157e+308"),
        (9007199254740992.0, b"9007199254740992"),
        (295147905179352830000.0, b"295147905179352830000"),
        (1e21, b"1e+21"),
        (9.999999999999997e22, b"9.999999999999997e+22"),
        (1e-6, b"0.000001"),
        (1e-7, b"1e-7"),
        (333333333.3333332, b"333333333.3333332"),
        (2**53 - 1, b"9007199254740991"),
    ],
)
def test_numbers_are_written_as_the_rfc_does(number: float, written: bytes) -> None:
    assert canonical(number) == written


@given(value=JSON)
def test_the_bytes_read_back_as_the_value(value: object) -> None:
    assert json.loads(canonical(value), parse_int=float) == value


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('aB_"\\\n\x7f', max_size=3), inner),
    max_leaves=10,
)


@given(value=PLAIN)
def test_what_is_written_the_short_way_has_the_bytes_of_the_long_way(value: Any) -> None:
    try:
        expected = rfc8785.dumps(value)
    except UnicodeEncodeError:
        with pytest.raises(ValueError, match="canonical"):
            canonical(value)
    else:
        assert canonical(value) == expected


def test_keys_are_ordered_by_their_utf_16_form() -> None:
    assert canonical({"\ufb33": 1, "\U0001f600": 2, "a": 3}) == '{"a":3,"\U0001f600":2,"\ufb33":1}'.encode()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"n": 2**53}, "integer"),
        ([-(2**53)], "integer"),
        (math.nan, "finite"),
        (-math.inf, "finite"),
        ("\ud800", "canonical"),
        ({"\udc00": 1}, "canonical"),
        ({"a": 1, 2: 3}, "canonical"),
        (b"bytes", "canonical"),
        ({1, 2}, "canonical"),
    ],
)
def test_what_another_reader_could_see_differently_is_refused(value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words) as refused:
        canonical(value)
    assert not isinstance(refused.value, UnicodeEncodeError)
    assert str(2**53 + 0) not in str(refused.value)


def test_nesting_without_end_is_refused() -> None:
    value: list[object] = []
    for _ in range(20_000):
        value = [value]
    with pytest.raises(ValueError, match="nested"):
        canonical(value)
