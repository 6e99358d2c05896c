"""Hostile texts: work grows with the length and no faster, and nothing escapes a bound."""

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from tarimba import personal_data
from tarimba.personal_data.reading import readings
from tests.unit.personal_data.sets import detectors

SMALL = 1_000
# The shortest text has fixed costs too, so four times the text costs a little less than four times as much.
FACTOR_MAX = 4.4
HOSTILE = {
    "digits": "1",
    "single digits": "1 ",
    "pairs": "11 ",
    "documents": "529.982.247-25 ",
    "cued": "cpf 12345678 ",
    "cues": "cpf tel pix ",
    "phones": "(11) 98765-4321 ",
    "abroad": "+44 7911 123456 ",
    "at signs": "a@",
    "spoken": "nove oito ",
    "spoken addresses": "a arroba b ponto c ",
    "tokens": "eCA1Mjk5ODIyNDcyNQ== ",
    "escapes": "%35&#53;\\u0035",
    "tags": "<<b",
    "stars": "*1",
    "marks": "a\u0301\u0316",
    "one cluster": "\u0301\u0316",
    "overrides": "\u202e1",
    "wide": "５２９",
    "ligatures": "\ufdfa",
    "cards": "4539 1488 0343 6467 ",
    "drawn": "O1S2Z3 ",
    "blanks": " ",
    "line ends": "\n",
    "brackets": "([{<",
    "tables": "cpf;nasc\n52998224725;1/2/81\n",
    "plates far off": "vaga ABC1D23 ",
    "repeated": "cpf 529.982.247-25 52998224752 ",
    "accounts": "acct # 44178209 bank ",
    "records": "doc=38905417 dob ",
    "births far off": "born x 1981-02-03 ",
}


def _calls(text: str) -> int:
    """Calls that checking a text makes, of Python and of C."""
    count = 0

    def profile(_: FrameType, event: str, __: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        detectors().spans(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_four_times_the_text_is_at_most_four_times_the_work(unit: str) -> None:
    small, large = ((unit * size)[:size] for size in (SMALL, 4 * SMALL))
    detectors().spans(large)  # what is loaded on first use is no work of the text
    assert _calls(large) <= FACTOR_MAX * _calls(small) + 100


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_readings_are_few_and_small(unit: str) -> None:
    text = (unit * SMALL)[:SMALL]
    read = readings(text)
    assert len(read) <= 6
    assert all(len(reading.view.text) <= 4 * SMALL + 40 for reading in read)


def _patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for info in pkgutil.iter_modules(personal_data.__path__):
        module = importlib.import_module(f"{personal_data.__name__}.{info.name}")
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield f"{info.name}.{name}", value


def _nested(parsed: Any, *, inside: bool = False) -> bool:
    """Whether an endless repetition holds another one: the shape that backtracks exponentially."""
    for operation, argument in parsed:
        # A possessive repetition never gives back what it took.
        repeats = str(operation) in {"MAX_REPEAT", "MIN_REPEAT"}
        for item in _subpatterns(argument):
            endless = repeats and argument[1] == _engine().MAXREPEAT
            if (inside and endless) or _nested(item, inside=inside or endless):
                return True
    return False


def _engine() -> Any:
    return importlib.import_module("re._parser")


def _subpatterns(argument: Any) -> Iterator[Any]:
    if isinstance(argument, _engine().SubPattern):
        yield argument
    elif isinstance(argument, tuple | list):
        for item in argument:
            yield from _subpatterns(item)


def test_no_pattern_repeats_a_repetition_without_end() -> None:
    found = dict(_patterns())
    assert len(found) > 50
    assert _nested(_engine().parse("(a+)+"))
    assert not [name for name, value in found.items() if _nested(_engine().parse(value.pattern, value.flags))]
