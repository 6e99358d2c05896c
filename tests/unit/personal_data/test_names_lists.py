"""The lists of names that the table is built from hold names, in classes, and no words of our own lists."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tarimba.personal_data.fold import plain
from training.build_gazetteer import (
    HANDWRITTEN_FIRST,
    HANDWRITTEN_LAST,
    Table,
    add_names,
    blocks,
    classed,
    handwritten,
)

MINED = ("given_names_mined", "surnames_mined")
CENSUS = {
    "ibge_first_names.csv": "name,bearers_2010\nMARIA,11734129\n",
    "us_census_1990_first_names.csv": "name,percent,list\nMary,2.629,female\n",
    "us_census_1990_surnames.csv": "name,percent,list\nSmith,1.006,all\n",
    "br_surnames_handwritten.txt": "Silva\n",
}


@pytest.fixture
def census(tmp_path: Path) -> Path:
    for name, text in CENSUS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def _words() -> Iterator[str]:
    for lang in ("pt", "en", "es"):
        yield from (plain(word) for line in handwritten(f"words_{lang}") for word in line.split())


@pytest.mark.parametrize("name", MINED)
def test_a_mined_list_has_each_name_once_under_its_class(name: str) -> None:
    text = {heading: names for heading, names in blocks(name).items() if names}
    names = [plain(each) for listed in text.values() for each in listed]
    assert set(text) <= set("1234567")
    assert len(names) > 20_000
    assert len(set(names)) == len(names)
    assert min(map(len, names)) > 2


@pytest.mark.parametrize("name", MINED)
def test_a_mined_list_has_none_of_our_words(name: str) -> None:
    names = {plain(each) for listed in blocks(name).values() for each in listed}
    assert not names & set(_words())


def test_names_that_people_bear_abroad_are_in_the_table_in_a_lower_class(census: Path) -> None:
    table = Table()
    add_names(table, census)
    for given in ("tadhg", "bartek", "anneke", "freya", "priyamvada", "paqui", "gonza"):
        assert 0 < table.first[given] <= HANDWRITTEN_FIRST
    for family in ("iturralde", "urrechu", "kovacs", "adebayo"):
        assert 0 < table.last[family] <= HANDWRITTEN_LAST


def test_mining_starts_from_what_was_known_without_it(census: Path) -> None:
    before, after = Table(), Table()
    add_names(before, census, mined=False)
    add_names(after, census)
    for name, value in classed("given_names_mined"):
        assert before.first[name] < value <= after.first[name]
    for name, value in classed("surnames_mined"):
        assert before.last[name] < value <= after.last[name]
