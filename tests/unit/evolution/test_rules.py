"""Signatures, names, and what passes for a skill, without a database."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba import text
from tarimba.evolution import rules
from tarimba.evolution.model import Skill

OPERATIONS = st.lists(st.text("ab>\\ .", max_size=4), max_size=6)
NAMES = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", fullmatch=True)


@given(OPERATIONS)
def test_folding_leaves_no_repeat_and_folds_once(operations: list[str]) -> None:
    once = rules.folded(operations)
    assert all(left != right for left, right in pairwise(once))
    assert rules.folded(once) == once
    assert set(once) == {text.fold_space(one) for one in operations if one.strip()}


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=8), st.data())
def test_a_step_repeated_at_once_changes_no_signature(operations: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(operations) - 1))
    repeated = [*operations[:at], operations[at], *operations[at:]]
    assert rules.signature(rules.folded(repeated)) == rules.signature(rules.folded(operations))


@given(OPERATIONS, OPERATIONS)
def test_two_ways_of_working_never_have_one_signature(one: list[str], other: list[str]) -> None:
    first, second = rules.folded(one), rules.folded(other)
    assert (rules.signature(first) == rules.signature(second)) == (first == second)


def test_a_signature_is_the_operations_in_order() -> None:
    assert rules.signature(rules.folded(["a.b", "a.b", "c  d", "a.b"])) == "a.b>c d>a.b"


def test_very_long_work_is_cut() -> None:
    assert len(rules.folded([str(number) for number in range(10_000)])) == rules.OPERATIONS_MAX


@pytest.mark.parametrize(("told", "well"), [(True, True), (False, False), (None, True)])
def test_only_a_word_of_failure_is_a_failure(told: bool | None, well: bool) -> None:
    assert rules.went_well(told) is well


@pytest.mark.parametrize("name", ["a", "7", "a-b", "a--b", "v" * 40])
def test_a_name(name: str) -> None:
    assert rules.is_name(name)


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a.b", "a/b", "ã", "v" * 41, "a\n", "shared-content"])
def test_no_name(name: str) -> None:
    assert not rules.is_name(name)


@given(NAMES, st.integers(0, 30))
def test_a_free_name_is_a_name_that_is_free(wanted: str, used: int) -> None:
    taken: set[str] = set()
    for _ in range(used):
        taken.add(rules.free_name(wanted, taken))
    assert len(taken) == used
    assert all(rules.is_name(name) for name in taken)


def test_what_passes_is_put_in_its_form() -> None:
    made = rules.gated(Skill("void", " Use it\nnow ", "\n1. Step\r\n2. Step\n\n"))
    assert made == Skill("void", "Use it now", "1. Step\n2. Step")


def test_only_what_was_done_stands_in_code_marks() -> None:
    done = ("invoice.void", "it's `odd`")
    assert rules.names_only(Skill("a", "Use `invoice.void`.", "``it's 'odd'``"), done)
    assert not rules.names_only(Skill("a", "Use it.", "```\nrm -rf\n``` `curl`"), done)
    assert not rules.names_only(Skill("a", "Use `order.reopen`.", "x"), done)
