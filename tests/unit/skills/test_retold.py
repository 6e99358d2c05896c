"""Problems kept in one language are told in another one, with the values that they had."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from tarimba.skills.model import Language, Problem
from tarimba.skills.report import _PLACE, WORDS, Report, retold

LANGUAGES: tuple[Language, ...] = ("en", "es", "pt")


@pytest.mark.parametrize(("told", "wanted"), list(product(LANGUAGES, LANGUAGES)))
def test_every_problem_is_told_in_every_language(told: Language, wanted: Language) -> None:
    for rule, (message, fix) in WORDS["en"].items():
        values = {name: f"value-{name}" for name in _PLACE.findall(message + fix)}
        first, second = Report(told), Report(wanted)
        first.tell(7, rule, **values)
        second.tell(7, rule, **values)
        assert retold(first.problems[0], wanted) == second.problems[0]


def test_a_place_comes_once_in_a_sentence_and_alike_in_every_language() -> None:
    for rule, texts in WORDS["en"].items():
        for words in WORDS.values():
            for ours, theirs in zip(texts, words[rule], strict=True):
                assert Counter(_PLACE.findall(ours)) == Counter(_PLACE.findall(theirs))


def test_words_that_nobody_has_stay() -> None:
    odd = Problem(1, "colon", "Something else.", "Something.")
    assert retold(odd, "pt") == odd
    assert retold(Problem(0, "no-rule", "A.", "B."), "es").message == "A."
