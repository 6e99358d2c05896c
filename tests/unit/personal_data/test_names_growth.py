"""Hostile texts for the layers of names: work grows with the length and no faster."""

import sys
from types import FrameType
from typing import Any

import pytest

from tarimba.personal_data.names import Names
from tarimba.personal_data.reading import readings

SMALL = 1_000
FACTOR_MAX = 4.4
HOSTILE = {
    "names": "Mariana Figueiredo ",
    "names without end": "Mariana",
    "capitals": "MARIANA FIGUEIREDO ",
    "small": "mariana figueiredo ",
    "initials": "M. ",
    "particles": "de da dos ",
    "places": "São João del Rei ",
    "openings": "San Santa Rio ",
    "streets": "Rua Mariana, ",
    "syllables": "Ma-ri-a-na ",
    "letters and digits": "M4r14n4 ",
    "chains": "mariana.figueiredo",
    "humps": "MarianaFigueiredo",
    "handles": "@marianafigueiredo",
    "foreign letters": "cliente 佐藤 ",
    "apostrophes": "d'a'b'c'd",
    "lines": "Maria\n",
    "cues": "cliente Sr. Dra. ",
}


def _calls(layer: Names, text: str) -> int:
    count = 0

    def profile(_: FrameType, event: str, __: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        list(layer.find(readings(text)))
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_four_times_the_text_is_at_most_four_times_the_work(unit: str) -> None:
    layer = Names()
    small, large = ((unit * size)[:size] for size in (SMALL, 4 * SMALL))
    list(layer.find(readings(large)))  # what is loaded on first use is no work of the text
    assert _calls(layer, large) <= FACTOR_MAX * _calls(layer, small) + 100
