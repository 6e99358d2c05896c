"""What bears the name of a person and is none: a thing stands once in its list, a word in one group of meaning."""

from collections import defaultdict

import pytest

from tarimba.personal_data.fold import plain
from training.build_gazetteer import BRAND_LISTS, add_phrases, folded_words, handwritten

GROUPS = 144
SHARED_MAX = 153
"""So many words stand in two groups, such as `bar`, a house and a pressure. It should become no more."""


@pytest.mark.parametrize("name", [*BRAND_LISTS, "places"])
def test_each_line_of_a_list_is_one_thing(name: str) -> None:
    lines = list(handwritten(name))
    assert len(lines) > 1_000
    assert all(folded_words(line) and line == line.strip() and "|" not in line for line in lines)


@pytest.mark.parametrize("name", ["methods", "goods"])
def test_a_thing_stands_once_in_its_list(name: str) -> None:
    folded = [" ".join(folded_words(line)) for line in handwritten(name)]
    assert len(set(folded)) == len(folded)


def test_things_of_several_words_are_known_as_one() -> None:
    found: set[str] = set()
    opening = add_phrases(found, [line for name in BRAND_LISTS for line in handwritten(name)])
    assert {"benjamini hochberg", "maria da penha", "w b yeats", "granny smith", "oswaldo aranha"} <= found
    assert {"benjamini", "maria", "w", "granny", "oswaldo"} <= opening
    # Half the country is called so: alone they say nothing.
    assert not {"maria", "joao", "carlos", "scott", "allen", "smith"} & found


def test_words_of_like_meaning_stand_in_one_group() -> None:
    where: dict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(handwritten("kin"), start=1):
        groups = line.split(" / ")
        assert len(groups) == 3
        for word in " ".join(groups).split():
            where[plain(word)].add(number)
    assert max(max(numbers) for numbers in where.values()) == GROUPS
    assert sum(len(numbers) > 1 for numbers in where.values()) <= SHARED_MAX
