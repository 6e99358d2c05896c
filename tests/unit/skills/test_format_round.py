"""Reading what was written, whatever it is; and files made worse by chance."""

from __future__ import annotations

import sys
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tarimba.skills.format import fold, is_legal, read, write
from tarimba.skills.model import DESCRIPTION_MAX, Reading
from tarimba.skills.report import QUARANTINED, REPAIRED
from tests.unit.skills.mutations import mutated, seeds

SEEDS = seeds()
A_BATCH = 100
names = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,63}", fullmatch=True).filter(is_legal)
descriptions = (
    st.text(st.characters(exclude_categories=["Cs"]), max_size=DESCRIPTION_MAX).map(fold).filter(bool)
)
odd_descriptions = (
    st.lists(
        st.sampled_from(
            [
                '"',
                "'",
                "\\",
                ": ",
                " #",
                "---",
                "-",
                "a",
                "é",
                "yes",
                "1",
                "{",
                "[",
                "&a",
                "*a",
                "|",
                "\\u002d",
            ]
        ),
        min_size=1,
        max_size=20,
    )
    .map("".join)
    .map(fold)
    .filter(bool)
)
bodies = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"))


@pytest.mark.promise("skills-round-trip")
@given(names, descriptions | odd_descriptions, bodies)
@example("y", "no", "---\n")
@example("1.10", "2026-01-01", "\ufeff")
@example("a---b", "--- \"\\' ---- #", "\n---\nname: x\n---\n")
@example("null", "~", "")
@example("on", "= <<", "\x85\u2028")
def test_reading_what_was_written_gives_the_same_back(name: str, description: str, body: str) -> None:
    data = write(name, description, body)
    reading = read(data, directory=name)
    assert (reading.name, reading.description, reading.body) == (name, description, body)
    assert reading.verdict == "ok", reading.problems
    assert write(reading.name, reading.description, reading.body) == data
    # Two of the other readers end the frontmatter at the first three hyphens.
    assert write(name, description, "").count(b"---") == 2


@pytest.mark.promise("skills-round-trip")
@given(names, st.text(st.characters(exclude_categories=["Cs"])), bodies)
def test_white_space_is_folded_on_writing_as_on_reading(name: str, description: str, body: str) -> None:
    reading = read(write(name, description, body), directory=name)
    assert (
        reading.description == fold(description)[:DESCRIPTION_MAX] or len(fold(description)) > DESCRIPTION_MAX
    )
    assert reading.is_loaded == bool(fold(description))


@pytest.mark.promise("skills-verdict")
@settings(max_examples=20_000 // A_BATCH)
@given(st.integers(0, 2**64))
def test_twenty_thousand_broken_files_have_a_verdict(seed: int) -> None:
    _batch(seed)


@pytest.mark.nightly
@pytest.mark.promise("skills-verdict")
@settings(max_examples=1_000_000 // A_BATCH)
@given(st.integers(0, 2**64))
def test_a_million_broken_files_have_a_verdict(seed: int) -> None:
    _batch(seed)


@pytest.mark.promise("skills-verdict")
@given(st.binary() | st.binary().map(lambda data: b"---\n" + data + b"\n---\n"), st.text(max_size=40))
def test_any_bytes_have_a_verdict(data: bytes, directory: str) -> None:
    _judge(data, read(data, directory=directory))


BEGIN = b"---\nname: x\ndescription: y\n"
HOSTILE = {
    "open brackets": lambda n: BEGIN + b"k: [\n" * n,
    "brackets that close late": lambda n: BEGIN + b"k: [a\n" * n + b"]" * n + b"x\n",
    "brackets far apart": lambda n: BEGIN + (b"k: [\n" + b"a\n" * 20) * (n // 20),
    "open quotes": lambda n: BEGIN + b'k: "\n' * n,
    "escaped quotes": lambda n: BEGIN + b'k: ["' + b'\\"' * n + b"\\\n",
    "one long line": lambda n: BEGIN + b"k: " + b"- " * n + b"\n",
    "spaces": lambda n: BEGIN + b"k" + b" " * n + b"\n",
    "colons": lambda n: BEGIN + b": " * n + b"\n",
    "many names": lambda n: b"---\n" + b"name: x\n" * n,
    "a map of names": lambda n: b"---\n{" + b"name: x,\n" * n + b"}\n",
    "digits": lambda n: b"---\nname: x\ndescription: " + b"1" * n + b"x\n",
    "sixties": lambda n: b"---\nname: x\ndescription: " + b"1:1" * n + b"x\n",
    "hyphens": lambda n: b"---\nname: x\ndescription: a" + b"-" * n + b"\n",
    "marks": lambda n: b"---\nname: a" + "\u0301\u0316".encode() * n + b"\ndescription: y\n",
    "fences that are none": lambda n: BEGIN + b"--- -\n" * n,
    "blank lines": lambda n: b"\n" * n + BEGIN,
    "signs": lambda n: BEGIN + b"k: [" + b",&a" * n + b"\n",
}


@pytest.mark.promise("skills-bounded")
@pytest.mark.parametrize("kind", HOSTILE)
def test_twice_the_bytes_take_at_most_about_twice_the_steps(kind: str) -> None:
    few, many = (_steps(HOSTILE[kind](size) + b"---\nbody\n") for size in (500, 2000))
    assert many <= 5 * few + 1000


@pytest.mark.promise("skills-bounded")
def test_steps_stay_below_a_bound_for_every_byte() -> None:
    dice = Random(7)
    for seed in SEEDS * 4:
        data = mutated(seed, dice)
        assert _steps(data) <= 2000 + 100 * len(data)


def _batch(seed: int) -> None:
    dice = Random(seed)
    for _ in range(A_BATCH):
        data = mutated(dice.choice(SEEDS), dice)
        _judge(data, read(data, directory=dice.choice(("", "x"))))


def _judge(data: bytes, reading: Reading) -> None:
    rules = {problem.rule for problem in reading.problems}
    expected = "quarantined" if rules & QUARANTINED else "repaired" if rules & REPAIRED else "ok"
    assert reading.verdict == expected
    if not reading.is_loaded:
        return
    assert is_legal(reading.name), data
    assert 0 < len(reading.description) <= DESCRIPTION_MAX, data
    assert fold(reading.description) == reading.description, data
    again = read(write(reading.name, reading.description, reading.body), directory=reading.name)
    assert (again.name, again.description, again.body) == (reading.name, reading.description, reading.body), (
        data
    )
    assert again.verdict == "ok", data


def _steps(data: bytes) -> int:
    """How many lines of the reader run, whatever the machine."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if event == "line":
            count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read(data, directory="x")
    finally:
        sys.settrace(before)
    return count
